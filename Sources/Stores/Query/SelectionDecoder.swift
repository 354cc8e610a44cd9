/// A decoder of the columns of a ``Selection``, one after another.
struct SelectionDecoder {
  private let row: RowDecoder
  private var place = 0

  init(_ row: RowDecoder) {
    self.row = row
  }

  /// Returns the value of the next column.
  mutating func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
    defer { place += 1 }
    return try row.value(type, at: place)
  }
}
