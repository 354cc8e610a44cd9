/// A number, text, Boolean value or `null` in a JSON text.
package struct JSONScalar: Sendable {
  /// The bytes of the value in the text.
  package let range: Range<Int>

  package let isNumber: Bool
  package let isString: Bool

  /// The names and indices that lead to the value.
  package let path: [JSONKey]
}

/// A name or an index in the path of a value.
package struct JSONKey: CodingKey, Hashable, Sendable {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  package init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}

extension JSONReader {
  /// Returns all values in a text that are neither objects nor arrays, in the order of the text.
  ///
  /// Numbers may have any size.
  ///
  /// - Throws: ``TextProblem``.
  package static func scalars(
    in bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused
  ) throws(TextProblem) -> [JSONScalar] {
    try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in
      var collector = ScalarCollector()
      try reader.visit(&collector)
      return collector.scalars
    }
  }
}

private struct ScalarCollector: JSONVisitor {
  var scalars: [JSONScalar] = []
  private var path: [JSONKey] = []

  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem) {
    let start = reader.index
    let isString = reader.peek == JSONByte.quote
    let isNumber = reader.isAtNumber
    try reader.skipScalar()
    scalars.append(JSONScalar(range: start..<reader.index, isNumber: isNumber, isString: isString, path: path))
  }

  mutating func enter(_ end: UInt8, _ reader: JSONReader) {}

  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem) {
    let index = isFirst ? 0 : (path.popLast()?.intValue ?? 0) + 1
    path.append(end == JSONByte.closingBrace ? JSONKey(stringValue: try reader.name()) : JSONKey(intValue: index))
  }

  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader) {
    if !isEmpty { path.removeLast() }
  }
}
