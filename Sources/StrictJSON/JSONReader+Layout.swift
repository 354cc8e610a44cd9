extension JSONReader {
  /// The maximum nesting depth at which each element has a line of its own.
  ///
  /// Deeper elements are written without white space, since indentation could make the text hundreds of times as long.
  package static let maximumIndentedDepth = 8

  /// Reads the value at the current position and appends its canonical text, which is the same for equal values.
  ///
  /// Each element has a line of its own, indented by two spaces for each enclosing array or object. Numbers and strings
  /// are copied byte by byte. A number that no type can hold, or an unusual escape, is therefore preserved.
  package mutating func layOut(into text: inout [UInt8]) throws(TextProblem) {
    var visitor = LayingOut()
    swap(&visitor.text, &text)
    defer { swap(&visitor.text, &text) }
    try visit(&visitor)
  }
}

private struct LayingOut: JSONVisitor {
  var text: [UInt8] = []

  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem) {
    let start = reader.index
    try reader.skipScalar()
    append(reader.bytes[start..<reader.index])
  }

  mutating func enter(_ end: UInt8, _ reader: JSONReader) {
    text.append(reader.peek)
  }

  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem) {
    if !isFirst { text.append(JSONByte.comma) }
    let isIndented = reader.depth <= JSONReader.maximumIndentedDepth
    if isIndented { breakLine(reader.depth) }
    guard end == JSONByte.closingBrace else { return }
    let name = try reader.nameString()
    append(reader.bytes[name.range.lowerBound - 1..<name.range.upperBound + 1])
    try reader.endName()
    if isIndented { text.append(JSONByte.space) }
    text.append(JSONByte.colon)
    if isIndented { text.append(JSONByte.space) }
  }

  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader) {
    if !isEmpty, reader.depth < JSONReader.maximumIndentedDepth { breakLine(reader.depth) }
    text.append(end)
  }

  private mutating func breakLine(_ depth: Int) {
    text.append(JSONByte.lineFeed)
    text.append(contentsOf: repeatElement(JSONByte.space, count: 2 * depth))
  }

  private mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes))
  }
}

@available(*, unavailable)
extension LayingOut: Sendable {}
