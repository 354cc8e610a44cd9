/// The position of a window in the result of a query.
struct WindowPosition: Hashable, Sendable {
  /// The place of the first row.
  enum Place: Hashable, Sendable {
    /// The beginning of the result, whichever row is first.
    case start
    /// As many rows as fit before the end of the result.
    case end
    /// The values of the sort columns and of the key; the row itself may be deleted.
    case row([SQLiteValue])
  }

  /// The largest number of rows of a page or of a move, so that no sum of them overflows.
  static let most = Int.max / 4

  var place = Place.start
  /// The number of rows by which the window is to move from the place; negative to move towards the start.
  var offset = 0
  /// The key of the row that is to be the first one, if it is in the result.
  var target: SQLiteValue?
  /// The number of moves so far, by which a read detects that it is outdated.
  var moves = 0

  mutating func jump(to place: Place) {
    (self.place, offset, target) = (place, 0, nil)
    moves += 1
  }

  mutating func jump(to target: SQLiteValue) {
    (self.target, offset) = (target, 0)
    moves += 1
  }

  mutating func move(by count: Int) {
    offset = Self.limited(offset + Self.limited(count))
    moves += 1
  }

  private static func limited(_ count: Int) -> Int { Swift.min(Swift.max(count, -most), most) }
}
