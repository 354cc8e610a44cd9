/// What a file of tweaks says: features, each with its variables.
///
/// The format is JustTweak's: `{ "<feature>": { "<variable>": { "Title": …, "Value": … } } }`.
package struct TweakDocument: Sendable {
  /// The value of a variable.
  package enum Value: Sendable, Hashable {
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
  }

  /// What is said of one variable.
  package struct Variable: Sendable {
    package let feature: String
    package let name: String

    /// Where its name stands.
    package let offset: Int

    package let value: Value
    package var title: String?
    package var desc: String?
    package var group: String?
    package var propertyName: String?

    /// Where the name for its accessor stands.
    package var propertyNameOffset: Int?

    package var isEncrypted = false
  }

  /// The features by name, each with its variables by name; a feature may have none.
  package let features: [String: [String: Variable]]

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - problems: What is wrong with it is added here, in the order of the text.
  /// - Returns: What could be read, or `nil` if the text is no JSON.
  package static func read(_ bytes: [UInt8], problems: inout [TextProblem]) -> TweakDocument? {
    let root: JSONNode
    do throws(TextProblem) {
      root = try JSONReader.read(bytes)
    } catch {
      problems.append(error)
      return nil
    }
    var reader = TweakDocumentReader(bytes: bytes)
    let document = reader.document(root)
    problems += reader.problems
    return document
  }
}

/// Finds the tweaks in what JSON says.
private struct TweakDocumentReader {
  let bytes: [UInt8]
  var problems: [TextProblem] = []

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document(_ root: JSONNode) -> TweakDocument {
    var features: [String: [String: TweakDocument.Variable]] = [:]
    guard case .object(let members) = root.content else {
      complain("expected an object of features, found \(root.kind)", at: root.offset)
      return TweakDocument(features: [:])
    }
    features.reserveCapacity(members.count)
    for feature in members {
      if feature.name.isEmpty { complain("a feature has no name", at: feature.offset) }
      guard case .object(let variables) = feature.value.content else {
        complain(
          "expected an object of variables for \(feature.name.debugDescription), found \(feature.value.kind)",
          at: feature.value.offset
        )
        continue
      }
      var found: [String: TweakDocument.Variable] = [:]
      found.reserveCapacity(variables.count)
      for variable in variables {
        if variable.name.isEmpty { complain("a variable has no name", at: variable.offset) }
        if let read = self.variable(variable, of: feature.name) { found[variable.name] = read }
      }
      features[feature.name] = found
    }
    return TweakDocument(features: features)
  }

  private mutating func variable(_ member: JSONMember, of feature: String) -> TweakDocument.Variable? {
    let name = "\"\(feature)/\(member.name)\""
    guard case .object(let fields) = member.value.content else {
      complain("expected an object for \(name), found \(member.value.kind)", at: member.value.offset)
      return nil
    }
    let isWide = flag("PreserveFloat", in: fields)
    guard let field = fields.first(where: { $0.name == "Value" }) else {
      complain("\(name) has no \"Value\"", at: member.offset)
      return nil
    }
    guard let value = value(field.value, isWide: isWide, of: name) else { return nil }
    var variable = TweakDocument.Variable(feature: feature, name: member.name, offset: member.offset, value: value)
    variable.title = text("Title", in: fields)
    variable.desc = text("Description", in: fields)
    variable.group = text("Group", in: fields)
    variable.propertyName = text("GeneratedPropertyName", in: fields)
    variable.propertyNameOffset = fields.first { $0.name == "GeneratedPropertyName" }?.value.offset
    variable.isEncrypted = flag("Encrypted", in: fields)
    let known = ["Title", "Description", "Group", "Value", "GeneratedPropertyName", "Encrypted", "PreserveFloat"]
    for field in fields where !known.contains(field.name) {
      problems.append(
        TextProblem(
          "unknown property \(field.name.debugDescription) of \(name)",
          at: TextPosition(of: field.offset, in: bytes), isWarning: true
        )
      )
    }
    return variable
  }

  private mutating func value(_ node: JSONNode, isWide: Bool, of name: String) -> TweakDocument.Value? {
    switch node.content {
    case .bool(let value): return .bool(value)
    case .double(let value): return .double(value)
    case .string(let value): return .string(value)
    case .int(let value):
      guard isWide else { return .int(value) }
      if let exact = Double(exactly: value) { return .double(exact) }
      complain("\(value) cannot be held by a Double, as \"PreserveFloat\" of \(name) demands", at: node.offset)
    case .null, .array, .object:
      complain("unsupported value for \(name): \(node.kind); expected a Bool, Int, Double or String", at: node.offset)
    }
    return nil
  }

  private mutating func text(_ name: String, in fields: [JSONMember]) -> String? {
    guard let field = fields.first(where: { $0.name == name }) else { return nil }
    if case .string(let text) = field.value.content { return text }
    complain("expected a String for \(name.debugDescription), found \(field.value.kind)", at: field.value.offset)
    return nil
  }

  private mutating func flag(_ name: String, in fields: [JSONMember]) -> Bool {
    guard let field = fields.first(where: { $0.name == name }) else { return false }
    if case .bool(let flag) = field.value.content { return flag }
    complain("expected a Bool for \(name.debugDescription), found \(field.value.kind)", at: field.value.offset)
    return false
  }

  private mutating func complain(_ reason: String, at offset: Int) {
    problems.append(TextProblem(reason, at: TextPosition(of: offset, in: bytes)))
  }
}
