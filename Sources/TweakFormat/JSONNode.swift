/// A value in a JSON text, and where it stands.
package struct JSONNode: Sendable {
  /// What a value can be; integers are told from other numbers by how they are written.
  package enum Content: Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
  }

  package let content: Content

  /// The index of its first byte.
  package let offset: Int

  /// What it is, in words.
  package var kind: String {
    switch content {
    case .null: "null"
    case .bool: "a Bool"
    case .int: "an Int"
    case .double: "a Double"
    case .string: "a String"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A name and a value in an object.
package struct JSONMember: Sendable {
  package let name: String

  /// The index of the first byte of the name, which is a quotation mark.
  package let offset: Int

  package let value: JSONNode
}

extension JSONReader {
  /// The value that a text consists of.
  ///
  /// - Throws: ``TextProblem``.
  package static func read(
    _ bytes: [UInt8], trailingCommas: TrailingCommas = .refused
  ) throws(TextProblem) -> JSONNode {
    try bytes.withUnsafeBufferPointer { bytes throws(TextProblem) in
      try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in try reader.node() }
    }
  }

  /// The value that begins here.
  mutating func node() throws(TextProblem) -> JSONNode {
    let start = index
    switch peek {
    case Byte.brace: return JSONNode(content: .object(try members()), offset: start)
    case Byte.bracket: return JSONNode(content: .array(try elements()), offset: start)
    case Byte.quote: return JSONNode(content: .string(try string()), offset: start)
    case Byte.minus, Byte.zero...Byte.nine: return JSONNode(content: try number(), offset: start)
    default: return JSONNode(content: try word(), offset: start)
    }
  }

  private mutating func members() throws(TextProblem) -> [JSONMember] {
    var members: [JSONMember] = []
    var names = NameList()
    var hasMore = try enter(Byte.braceEnd)
    while hasMore {
      let start = index
      let name = try name()
      try names.insert(name, at: start, in: self)
      members.append(JSONMember(name: name, offset: start, value: try node()))
      hasMore = try goOn(to: Byte.braceEnd)
    }
    return members
  }

  private mutating func elements() throws(TextProblem) -> [JSONNode] {
    var elements: [JSONNode] = []
    var hasMore = try enter(Byte.bracketEnd)
    while hasMore {
      elements.append(try node())
      hasMore = try goOn(to: Byte.bracketEnd)
    }
    return elements
  }

  private mutating func word() throws(TextProblem) -> JSONNode.Content {
    if skip("true") { return .bool(true) }
    if skip("false") { return .bool(false) }
    if skip("null") { return .null }
    throw problem(isAtEnd ? "the text ends where a value should be" : "there is no value")
  }

  private mutating func number() throws(TextProblem) -> JSONNode.Content {
    let start = index
    let isInteger = try skipNumber()
    let text = text(from: start, to: index)
    if isInteger {
      guard let number = Int(text) else { throw problem("\(text) is larger than an Int can be", at: start) }
      return .int(number)
    }
    guard let number = Double(text), number.isFinite else {
      throw problem("\(text) is larger than a Double can be", at: start)
    }
    return .double(number)
  }
}
