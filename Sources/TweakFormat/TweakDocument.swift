package import StrictJSON

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

    package internal(set) var value: Value
    package var title: String?
    package var details: String?
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
    var variables = VariableList()
    let names = bytes.withUnsafeBufferPointer { read($0, into: &variables, problems: &problems) }
    guard let names else { return nil }
    var features = Dictionary(uniqueKeysWithValues: names.map { ($0, [String: Variable]()) })
    for variable in variables.all { features[variable.feature]?[variable.name] = variable }
    return TweakDocument(features: features)
  }

  private struct VariableList: TweakDocumentBuilder {
    var all: [Variable] = []

    mutating func take(_ variable: Variable, to end: Int, isSound: Bool) { all.append(variable) }
  }

  /// Reads a text, and makes of it whatever is wanted.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - builder: Is given the variables, in the order of the text, until it turns out to be no JSON.
  ///   - problems: What is wrong with it is added here, in the order of the text.
  /// - Returns: The names of the features, in the order of the text, or `nil` if it is no JSON.
  package static func read<Builder: TweakDocumentBuilder>(
    _ bytes: UnsafeBufferPointer<UInt8>, into builder: inout Builder, problems: inout [TextProblem]
  ) -> [String]? {
    var reader = TweakDocumentReader(bytes: bytes, builder: builder)
    do throws(TextProblem) {
      try JSONReader.read(bytes) { json throws(TextProblem) in try reader.document(&json) }
    } catch {
      problems.append(error)
      return nil
    }
    builder = reader.builder
    problems += reader.problems.sorted { $0.position < $1.position }
    return reader.featureNames
  }
}

/// Makes something of what a file of tweaks says.
package protocol TweakDocumentBuilder {
  /// Takes a variable.
  ///
  /// - Parameters:
  ///   - variable: What is said of it.
  ///   - end: Where the next byte behind it is.
  ///   - isSound: Whether there was nothing to complain about.
  mutating func take(_ variable: TweakDocument.Variable, to end: Int, isSound: Bool)

  /// Takes a variable that begins at an offset and is known from an earlier text, byte by byte.
  ///
  /// - Parameters:
  ///   - offset: Where its name stands.
  ///   - feature: The feature.
  /// - Returns: Its name, and where the next byte behind it is; `nil` to have it read.
  mutating func takeKnown(at offset: Int, in feature: String) -> (name: String, end: Int)?
}

extension TweakDocumentBuilder {
  package mutating func takeKnown(at offset: Int, in feature: String) -> (name: String, end: Int)? { nil }
}

extension TweakDocument.Value {
  /// The value that is written; `nil` if it is none of a tweak.
  ///
  /// - Parameters:
  ///   - node: What is written.
  ///   - isWide: Whether a whole number becomes a Double, which not every one can.
  package init?(_ node: JSONNode, isWide: Bool) {
    switch node.content {
    case .bool(let value): self = .bool(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .int(let value) where !isWide: self = .int(value)
    case .int(let value):
      guard let exact = Double(exactly: value) else { return nil }
      self = .double(exact)
    case .null, .array, .object: return nil
    }
  }
}
