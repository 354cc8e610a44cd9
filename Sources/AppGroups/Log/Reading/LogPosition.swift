/// How far somebody is in what one producer has appended.
struct LogPosition: Hashable, Sendable, Codable {
  /// The segment to go on in.
  var segment: UInt64
  /// Where in it to go on; 0 if nothing of it has been read.
  var offset: UInt64
  /// The last event before that place, or 0.
  var sequence: UInt64
  /// Whether it was reported already that events after `sequence` are missing or that what lies at `offset` is damaged.
  var isBroken = false

  /// Higher numbers than any log will ever have; with lower ones, nothing overflows.
  static let limit = UInt64.max / 2

  /// Whether a log may have such a place; anybody can write what is read.
  var isPossible: Bool { segment < Self.limit && offset < Self.limit && sequence < Self.limit }

  /// Whether it is further on than another of the same producer.
  func isAfter(_ other: LogPosition) -> Bool {
    (segment, offset) > (other.segment, other.offset)
  }

  static let beginning = LogPosition(segment: 0, offset: 0, sequence: 0)

  /// A place after every other, of which no sequence is known.
  static let end = LogPosition(segment: limit, offset: limit, sequence: 0)
}
