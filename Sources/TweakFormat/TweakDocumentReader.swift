import StrictJSON

/// A reader that finds the tweaks in JSON without building an intermediate tree.
struct TweakDocumentReader<Builder: TweakDocumentBuilder> {
  private(set) var builder: Builder
  private(set) var problems: [TextProblem] = []
  private(set) var featureNames: [String] = []
  private let bytes: UnsafeBufferPointer<UInt8>

  /// The lines of the text.
  ///
  /// They are found when the first problem needs its position.
  private var lines: TextLines<UnsafeBufferPointer<UInt8>>?

  init(bytes: UnsafeBufferPointer<UInt8>, builder: Builder) {
    self.bytes = bytes
    self.builder = builder
  }

  mutating func document(_ json: inout JSONReader) throws(TextProblem) {
    guard json.peek == JSONByte.openingBrace else {
      let root = try json.node()
      return complain("expected an object of features, found \(root.kind)", at: root.offset)
    }
    var names = NameList()
    var hasMore = try json.enter(JSONByte.closingBrace)
    while hasMore {
      let offset = json.index
      let name = try json.name()
      try names.insert(name, at: offset, in: json)
      if name.isEmpty { complain("a feature has no name", at: offset) }
      try feature(name, &json)
      hasMore = try json.goOn(to: JSONByte.closingBrace)
    }
  }

  private mutating func feature(_ feature: String, _ json: inout JSONReader) throws(TextProblem) {
    guard json.peek == JSONByte.openingBrace else {
      let node = try json.node()
      return complain(
        "expected an object of variables for \(feature.debugDescription), found \(node.kind)", at: node.offset
      )
    }
    featureNames.append(feature)
    var names = NameList()
    var hasMore = try json.enter(JSONByte.closingBrace)
    while hasMore {
      let offset = json.index
      if let known = builder.takeKnown(at: offset, in: feature) {
        try names.insert(known.name, at: offset, in: json)
        json.skip(to: known.end)
      } else {
        let name = try json.name()
        try names.insert(name, at: offset, in: json)
        if name.isEmpty { complain("a variable has no name", at: offset) }
        let variable = TweakDocument.Variable(feature: feature, name: name, offset: offset, value: .bool(false))
        try read(variable, &json)
      }
      hasMore = try json.goOn(to: JSONByte.closingBrace)
    }
  }

  private mutating func read(
    _ variable: consuming TweakDocument.Variable, _ json: inout JSONReader
  ) throws(TextProblem) {
    guard json.peek == JSONByte.openingBrace else {
      let node = try json.node()
      return complain("expected an object for \(variable.fullName), found \(node.kind)", at: node.offset)
    }
    var fields = FieldList()
    let problemCount = problems.count
    var isWide = false
    var value: JSONNode?
    var range = 0..<0
    var hasMore = try json.enter(JSONByte.closingBrace)
    while hasMore {
      let offset = json.index
      switch try field(&json, &fields) {
      case .value:
        let start = json.index
        value = try json.node()
        range = start..<json.index
      case .title: variable.title = try text(.title, &json)
      case .group: variable.group = try text(.group, &json)
      case .details: variable.details = try text(.details, &json)
      case .isEncrypted: variable.isEncrypted = flag(.isEncrypted, try json.node())
      case .preservesFloat: isWide = flag(.preservesFloat, try json.node())
      case .propertyName:
        variable.propertyNameOffset = json.index
        variable.propertyName = try text(.propertyName, &json)
      case nil:
        let name = fields.lastUnknown.debugDescription
        complain("unknown property \(name) of \(variable.fullName)", at: offset, isWarning: true)
        _ = try json.node()
      }
      hasMore = try json.goOn(to: JSONByte.closingBrace)
    }
    guard let value else { return complain("\(variable.fullName) has no \"Value\"", at: variable.offset) }
    if value.isStructure {
      guard let text = structure(value, range, of: variable) else { return }
      variable.value = .string(text)
      variable.structure = range
    } else {
      guard let value = self.value(value, isWide: isWide, of: variable) else { return }
      variable.value = value
    }
    builder.take(variable, to: json.index, isSound: problems.count == problemCount)
  }

  /// Reads the name of the next field, up to its value, and returns `nil` if the name is unknown.
  private func field(_ json: inout JSONReader, _ fields: inout FieldList) throws(TextProblem) -> Field? {
    let offset = json.index
    var number = try json.name(among: Field.names)
    if number == nil {
      let name = try json.name()
      // The name may contain escapes.
      number = Field(rawValue: name).flatMap(Field.all.firstIndex(of:))
      if number == nil {
        try fields.unknown.insert(name, at: offset, in: json)
        fields.lastUnknown = name
      }
    }
    guard let number else { return nil }
    let field = Field.all[number]
    let first = fields.offsets[number]
    if first >= 0 { throw json.repetition(of: field.rawValue, at: offset, first: first) }
    fields.offsets[number] = offset
    return field
  }

  private mutating func value(
    _ node: JSONNode, isWide: Bool, of variable: borrowing TweakDocument.Variable
  ) -> TweakDocument.Value? {
    if let value = TweakDocument.Value(node, isWide: isWide) { return value }
    if case .int(let number) = node.content {
      complain(
        "\(number) has no exact Double, which \"PreserveFloat\" of \(variable.fullName) requires", at: node.offset
      )
    } else {
      complain(
        "unsupported value for \(variable.fullName): \(node.kind); "
          + "expected a Bool, Int, Double, String, object or list",
        at: node.offset
      )
    }
    return nil
  }

  /// Returns an object or a list as JSON.
  private mutating func structure(
    _ node: JSONNode, _ range: Range<Int>, of variable: borrowing TweakDocument.Variable
  ) -> String? {
    guard range.count <= TweakDocument.maximumSize else {
      complain("the value for \(variable.fullName) has more than \(TweakDocument.maximumSize) bytes", at: node.offset)
      return nil
    }
    let text = node.canonicalText(depth: TweakDocument.maximumDepth)
    if text == nil {
      let limit = TweakDocument.maximumDepth
      complain("the value for \(variable.fullName) is nested more than \(limit) levels deep", at: node.offset)
    }
    return text
  }

  private mutating func text(_ field: Field, _ json: inout JSONReader) throws(TextProblem) -> String? {
    if json.peek == JSONByte.quote { return try json.string() }
    let node = try json.node()
    complain("expected a String for \(field.rawValue.debugDescription), found \(node.kind)", at: node.offset)
    return nil
  }

  private mutating func flag(_ field: Field, _ node: JSONNode) -> Bool {
    if case .bool(let flag) = node.content { return flag }
    complain("expected a Bool for \(field.rawValue.debugDescription), found \(node.kind)", at: node.offset)
    return false
  }

  private mutating func complain(_ reason: String, at offset: Int, isWarning: Bool = false) {
    let lines = self.lines ?? TextLines(bytes)
    self.lines = lines
    problems.append(TextProblem(reason, at: lines.position(of: offset), isWarning: isWarning))
  }
}

@available(*, unavailable)
extension TweakDocumentReader: Sendable {}

extension TweakDocument.Variable {
  fileprivate var fullName: String { "\"\(feature)/\(name)\"" }
}

/// The fields of a variable.
private enum Field: String, CaseIterable {
  case value = "Value"
  case title = "Title"
  case group = "Group"
  case details = "Description"
  case isEncrypted = "Encrypted"
  case preservesFloat = "PreserveFloat"
  case propertyName = "GeneratedPropertyName"

  static let names: [StaticString] = [
    "Value", "Title", "Group", "Description", "Encrypted", "PreserveFloat", "GeneratedPropertyName",
  ]
  static let all = allCases
}

/// The fields of a variable that have been read so far.
private struct FieldList {
  /// The offset of each field, or -1 if it is missing.
  var offsets = SIMD8<Int>(repeating: -1)
  var unknown = NameList()
  var lastUnknown = ""
}
