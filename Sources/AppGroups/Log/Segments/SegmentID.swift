import Foundation

/// The identity of one of the files that a producer appends to, one after another.
///
/// The file name consists of the producer's identifier and the segment's number, so that a listing needs to open no
/// file.
struct SegmentID: Hashable, Sendable {
  let producer: UUID
  /// The number of the segment, from 1.
  let index: UInt64

  private static let suffix = ".segment"

  init(producer: UUID, index: UInt64) {
    self.producer = producer
    self.index = index
  }

  /// Parses the name of a file, or returns `nil` if it does not name a segment.
  init?(fileName: String) {
    guard fileName.hasSuffix(Self.suffix) else { return nil }
    let parts = fileName.dropLast(Self.suffix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let producer = UUID(uuidString: String(parts[0])), let index = UInt64(parts[1]), index > 0,
      index < LogPosition.limit,
      // Each segment has only one name; other spellings of the same numbers are rejected.
      fileName == SegmentID(producer: producer, index: index).fileName
    else { return nil }
    self.init(producer: producer, index: index)
  }

  var fileName: String {
    let digits = String(index)
    let zeros = String(repeating: "0", count: max(0, 8 - digits.count))
    return "\(producer.uuidString.lowercased()).\(zeros)\(digits)\(Self.suffix)"
  }

  /// The name of the file until it has its lock and its header.
  var temporaryName: String { fileName + ".new" }
}
