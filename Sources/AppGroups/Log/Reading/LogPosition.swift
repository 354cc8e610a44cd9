/// A position in the events that one producer has appended.
struct LogPosition: Hashable, Sendable, Codable {
  /// The segment to continue in.
  var segment: UInt64
  /// The offset in the segment to continue at; 0 if nothing of the segment has been read.
  var offset: UInt64
  /// The sequence of the last event before the position, or 0.
  var sequence: UInt64
  /// A Boolean value that indicates whether missing events after `sequence`, or damage at `offset`, have been reported.
  var isBroken = false

  /// A number that no log ever reaches; arithmetic with smaller numbers cannot overflow.
  static let limit = UInt64.max / 2

  /// A Boolean value that indicates whether a log may have such a position, because a cursor file may contain any
  /// numbers.
  var isPossible: Bool { segment < Self.limit && offset < Self.limit && sequence < Self.limit }

  /// Returns a Boolean value that indicates whether this position is after another one of the same producer.
  func isAfter(_ other: LogPosition) -> Bool {
    (segment, offset) > (other.segment, other.offset)
  }

  static let beginning = LogPosition(segment: 0, offset: 0, sequence: 0)

  /// A position after every other one, with no known sequence.
  static let end = LogPosition(segment: limit, offset: limit, sequence: 0)
}
