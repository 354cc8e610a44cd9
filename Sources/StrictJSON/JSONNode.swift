/// A value in a JSON text, and its position.
package struct JSONNode: Sendable {
  /// The kinds of values.
  ///
  /// Integers are distinguished from other numbers by their notation.
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

  /// A description of the kind.
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
  /// Reads a text that consists of one value.
  ///
  /// Two members of one object must not have the same name.
  ///
  /// - Throws: ``TextProblem``.
  package static func read(
    _ bytes: [UInt8], trailingCommas: TrailingCommas = .refused
  ) throws(TextProblem) -> JSONNode {
    try bytes.withUnsafeBufferPointer { bytes throws(TextProblem) in
      try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in try reader.node() }
    }
  }

  /// Reads the value at the current position.
  ///
  /// Two members of one object must not have the same name.
  package mutating func node() throws(TextProblem) -> JSONNode {
    if closingBracket == nil { return try scalarNode() }
    var visitor = NodeBuilder(root: OpenNode(offset: index, end: JSONByte.closingBracket))
    try visit(&visitor)
    return visitor.root.elements[0]
  }

  fileprivate mutating func scalarNode() throws(TextProblem) -> JSONNode {
    let start = index
    return JSONNode(content: try scalar(), offset: start)
  }
}

/// A builder that creates nodes from the parts of a value.
private struct NodeBuilder: JSONVisitor {
  /// An array whose only element is the value.
  var root: OpenNode
  private var open: [OpenNode] = []

  init(root: OpenNode) {
    self.root = root
  }

  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem) { append(try reader.scalarNode()) }

  mutating func enter(_ end: UInt8, _ reader: JSONReader) { open.append(OpenNode(offset: reader.index, end: end)) }

  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem) {
    try open[open.count - 1].readName(&reader)
  }

  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader) { append(open.removeLast().node) }

  private mutating func append(_ node: JSONNode) {
    if open.isEmpty { root.append(node) } else { open[open.count - 1].append(node) }
  }
}

/// An object or array whose end has not been read yet.
private struct OpenNode {
  let offset: Int
  let end: UInt8
  private(set) var elements: [JSONNode] = []
  private var members: [JSONMember] = []
  private var names = NameList()
  private var name = (text: "", offset: 0)

  init(offset: Int, end: UInt8) {
    self.offset = offset
    self.end = end
  }

  private var isObject: Bool { end == JSONByte.closingBrace }

  var node: JSONNode { JSONNode(content: isObject ? .object(members) : .array(elements), offset: offset) }

  /// Reads the name of the next member, if this is an object.
  mutating func readName(_ reader: inout JSONReader) throws(TextProblem) {
    guard isObject else { return }
    let offset = reader.index
    name = (try reader.name(), offset)
    try names.insert(name.text, at: offset, in: reader)
  }

  mutating func append(_ node: JSONNode) {
    if isObject {
      members.append(JSONMember(name: name.text, offset: name.offset, value: node))
    } else {
      elements.append(node)
    }
  }
}

@available(*, unavailable)
extension NodeBuilder: Sendable {}

@available(*, unavailable)
extension OpenNode: Sendable {}

extension JSONNode {
  /// A Boolean value that indicates whether the value is an object or an array.
  package var isStructure: Bool {
    switch content {
    case .array, .object: true
    default: false
    }
  }

  /// Returns the value as JSON without white space, with the members of objects sorted by name.
  ///
  /// Texts of equal values are equal, whatever the order of their members.
  ///
  /// - Parameter depth: The maximum number of nested objects and arrays.
  /// - Returns: The text, or `nil` if values are nested more deeply.
  package func canonicalText(depth: Int) -> String? {
    switch content {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .string(let value): return String(decoding: JSONText.quoted(value), as: UTF8.self)
    case .array(let elements):
      guard depth > 0 else { return nil }
      var texts: [String] = []
      for element in elements {
        guard let text = element.canonicalText(depth: depth - 1) else { return nil }
        texts.append(text)
      }
      return "[" + texts.joined(separator: ",") + "]"
    case .object(let members):
      guard depth > 0 else { return nil }
      var texts: [String] = []
      for member in members.sorted(by: { $0.name < $1.name }) {
        guard let text = member.value.canonicalText(depth: depth - 1) else { return nil }
        texts.append(String(decoding: JSONText.quoted(member.name), as: UTF8.self) + ":" + text)
      }
      return "{" + texts.joined(separator: ",") + "}"
    }
  }
}
