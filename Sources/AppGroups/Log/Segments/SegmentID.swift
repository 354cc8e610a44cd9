import Foundation

/// One of the files that a producer appends to, one after another.
///
/// Its name is the producer's identifier and its number, so that a directory can be read without opening a file.
struct SegmentID: Hashable, Sendable {
  let producer: UUID
  /// Counts from 1.
  let index: UInt64

  private static let suffix = ".segment"

  init(producer: UUID, index: UInt64) {
    self.producer = producer
    self.index = index
  }

  /// Reads the name of a file; `nil` if it is not that of a segment.
  init?(fileName: String) {
    guard fileName.hasSuffix(Self.suffix) else { return nil }
    let parts = fileName.dropLast(Self.suffix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let producer = UUID(uuidString: String(parts[0])), let index = UInt64(parts[1]), index > 0,
      index < LogPosition.limit,
      // One segment has one name: no other spelling of the same numbers.
      fileName == SegmentID(producer: producer, index: index).fileName
    else { return nil }
    self.init(producer: producer, index: index)
  }

  var fileName: String {
    let digits = String(index)
    let zeros = String(repeating: "0", count: max(0, 8 - digits.count))
    return "\(producer.uuidString.lowercased()).\(zeros)\(digits)\(Self.suffix)"
  }

  /// What the file is called until it is complete enough to be read.
  var temporaryName: String { fileName + ".new" }
}
