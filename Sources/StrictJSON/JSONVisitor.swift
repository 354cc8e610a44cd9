/// A type that receives the parts of a value in the order of the text.
package protocol JSONVisitor {
  /// Reads the scalar at the reader's index.
  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem)

  /// Receives the start of an object or array at the reader's index, with its closing bracket.
  mutating func enter(_ end: UInt8, _ reader: JSONReader)

  /// Receives the start of an element, and reads its name if it is a member of an object.
  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem)

  /// Receives the end of the innermost object or array.
  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader)
}

extension JSONReader {
  /// Reads the value at the current position, part by part and without recursion.
  package mutating func visit(_ visitor: inout some JSONVisitor) throws(TextProblem) {
    var open: [UInt8] = []
    while true {
      if let end = closingBracket {
        visitor.enter(end, self)
        if try enter(end) {
          open.append(end)
          try visitor.element(of: end, isFirst: true, &self)
          continue
        }
        visitor.leave(end, isEmpty: true, self)
      } else {
        try visitor.scalar(&self)
      }
      // The value is complete, and so are the enclosing values that end here.
      while let end = open.last {
        if try goOn(to: end) {
          try visitor.element(of: end, isFirst: false, &self)
          break
        }
        open.removeLast()
        visitor.leave(end, isEmpty: false, self)
      }
      if open.isEmpty { return }
    }
  }
}
