/// A range of bytes in a segment that contains no valid record.
struct SegmentDamage: Hashable, Sendable {
  /// The damaged range; it reaches the end of the segment if no record was found after it.
  let bytes: Range<UInt64>
  /// The number of events that were lost, or `nil` if it is unknown.
  var lostEvents: UInt64?
  /// A Boolean value that indicates whether the segment continues after the damage.
  let isPassed: Bool
  let reason: String
}
