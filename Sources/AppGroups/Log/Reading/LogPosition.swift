/// How far somebody is in what one producer has appended.
struct LogPosition: Hashable, Sendable, Codable {
  /// The segment to go on in.
  var segment: UInt64
  /// Where in it to go on; 0 if nothing of it has been read.
  var offset: UInt64
  /// The last event before that place, or 0.
  var sequence: UInt64
  /// Whether events after `sequence` were given up already, so that nobody need be told again that they are missing.
  var isBroken = false

  static let beginning = LogPosition(segment: 0, offset: 0, sequence: 0)
}
