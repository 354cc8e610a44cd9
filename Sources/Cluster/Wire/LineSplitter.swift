import Foundation

/// Splits a stream of bytes into lines of limited length.
struct LineSplitter: Sendable {
  /// A line is longer than the limit.
  struct TooLong: Error {}

  private let limit: Int
  private var unfinished = Data()

  /// The part of the unfinished line that has no line break.
  private var searched = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds bytes, and returns the lines that they complete, without the line breaks.
  mutating func append(_ bytes: Data) throws(TooLong) -> [Data] {
    unfinished.append(bytes)
    var lines: [Data] = []
    while let end = unfinished[(unfinished.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = unfinished[unfinished.startIndex..<end]
      guard line.count <= limit else { throw TooLong() }
      if !line.isEmpty { lines.append(Data(line)) }
      unfinished = unfinished[(end + 1)...]
      searched = 0
    }
    searched = unfinished.count
    guard unfinished.count <= limit else { throw TooLong() }
    // Without the bytes of earlier lines, which the slice would keep.
    if !lines.isEmpty { unfinished = Data(unfinished) }
    return lines
  }
}
