/// Something in a segment that is no record.
struct SegmentDamage: Hashable, Sendable {
  /// Where it lies; to the segment's end if nothing is known to follow it.
  let bytes: Range<UInt64>
  /// How many events it has cost, if that is known.
  var lostEvents: UInt64?
  /// Whether the segment goes on after it.
  let isPassed: Bool
  let reason: String
}
