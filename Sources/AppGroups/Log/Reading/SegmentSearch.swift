import CLibrary
import FileSignals

/// Finds the next record in a segment after damage.
///
/// A payload may contain bytes that look like records. So the search first derives the end of the damaged record from
/// the record itself. Only if that fails, it looks for the next bytes that form a record.
struct SegmentSearch {
  /// The position of a record after the damage.
  struct Place {
    let offset: UInt64
    /// The number of the event at the position.
    let sequence: UInt64
  }

  /// The segment, which must stay open.
  let file: CInt
  let salt: UInt32
  /// The offset of the damage.
  let start: UInt64
  /// The size of the segment.
  let end: UInt64
  /// The number that the event at `start` should have.
  let sequence: UInt64
  /// The number of bytes that may still be checked.
  ///
  /// It bounds the search in bytes that were crafted to look like many long records.
  private var budget = 1 << 28

  private final class Failure {
    var number: CInt?
  }

  private let readFailure = Failure()

  /// The error number of a read that failed, after which a search has no meaning.
  var failure: CInt? { readFailure.number }

  /// The maximum difference between two event numbers in a segment.
  private static let widestGap: UInt64 = 1 << 24
  private static let pieceSize = 1 << 20

  init(file: CInt, salt: UInt32, start: UInt64, end: UInt64, sequence: UInt64) {
    (self.file, self.salt, self.start, self.sequence) = (file, salt, start, sequence)
    // Another process may have truncated the segment since the damage was found.
    self.end = max(start, end)
  }

  /// Returns the position of the next record, found by the first search that succeeds.
  mutating func place() -> Place? {
    // The bytes of one or more records were removed.
    if let record = record(at: start) { return Place(offset: start, sequence: record.sequence) }
    return placeByChecksum() ?? placeByLength() ?? placeByRecord()
  }

  // MARK: End of the damaged record

  /// Returns the end of a record of which only the length is wrong, found by its checksum.
  func placeByChecksum() -> Place? {
    let count = Int(min(end - start, UInt64(LogRecord.headerSize + LogRecord.maximumPayload)))
    return read(count, at: start) { bytes in
      guard bytes.count >= LogRecord.headerSize else { return nil }
      let expected = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      var checksum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[8..<LogRecord.headerSize]), goingOnFrom: salt)
      for size in LogRecord.headerSize...bytes.count {
        if checksum ^ LogRecord.turn(of: UInt32(size - LogRecord.headerSize)) == expected,
          isBoundary(start + UInt64(size))
        {
          return Place(offset: start + UInt64(size), sequence: sequence + 1)
        }
        guard size < bytes.count else { break }
        checksum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[size...size]), goingOnFrom: checksum)
      }
      return nil
    }
  }

  /// Returns the end of a record whose length is correct.
  private func placeByLength() -> Place? {
    guard let header = header(at: start), header.length <= LogRecord.maximumPayload else { return nil }
    let next = start + UInt64(LogRecord.headerSize + header.length)
    return isBoundary(next) ? Place(offset: next, sequence: sequence + 1) : nil
  }

  /// Returns a Boolean value that indicates whether the segment ends, or the next record begins, at an offset.
  ///
  /// The next record may be damaged too.
  private func isBoundary(_ offset: UInt64) -> Bool {
    offset == end || header(at: offset)?.sequence == sequence + 1
  }

  // MARK: Search for the next record

  private struct Found {
    let offset: UInt64
    let end: UInt64
    let sequence: UInt64
  }

  /// Returns the next record, unless a later one has a lower or equal number, which shows that it is not a record.
  private mutating func placeByRecord() -> Place? {
    var offset = start
    while let found = firstRecord(from: offset) {
      guard let next = firstRecord(from: found.end), next.sequence <= found.sequence else {
        return Place(offset: found.offset, sequence: found.sequence)
      }
      offset = found.offset + 1
    }
    return nil
  }

  private mutating func firstRecord(from first: UInt64) -> Found? {
    var first = first
    while first + UInt64(LogRecord.headerSize) <= end {
      let count = Int(min(end - first, UInt64(Self.pieceSize)))
      var candidates: [UInt64] = []
      let readCount = read(count, at: first) { bytes -> Int? in
        guard bytes.count >= LogRecord.headerSize else { return nil }
        for offset in 0...(bytes.count - LogRecord.headerSize) {
          let number = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
          if isPlausible(number) { candidates.append(first + UInt64(offset)) }
        }
        return bytes.count
      }
      for candidate in candidates { if let found = record(at: candidate) { return found } }
      guard let readCount else { return nil }
      first += UInt64(readCount - LogRecord.headerSize + 1)
    }
    return nil
  }

  private func isPlausible(_ number: UInt64) -> Bool { number >= sequence && number - sequence < Self.widestGap }

  /// Returns the record at an offset, if its checksum is correct.
  private mutating func record(at offset: UInt64) -> Found? {
    guard let header = header(at: offset), isPlausible(header.sequence), header.length <= LogRecord.maximumPayload
    else { return nil }
    let size = LogRecord.headerSize + header.length
    guard offset + UInt64(size) <= end, size <= budget else { return nil }
    budget -= size
    return read(size, at: offset) { bytes in
      guard case .record = LogRecord.find(in: bytes, expecting: header.sequence, salt: salt) else { return nil }
      return Found(offset: offset, end: offset + UInt64(size), sequence: header.sequence)
    }
  }

  // MARK: Reading

  private func header(at offset: UInt64) -> (length: Int, sequence: UInt64)? {
    guard offset < end else { return nil }
    return read(Int(min(end - offset, 16)), at: offset) { bytes in
      guard bytes.count == 16 else { return nil }
      let length = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
      return (Int(length), UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// Calls a closure with bytes of the segment, fewer if it has become shorter.
  ///
  /// - Returns: The result of the closure, or `nil` if the bytes cannot be read.
  private func read<Result>(_ count: Int, at offset: UInt64, _ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
      var filled = 0
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let read = readSome(rest, from: file, at: Int(offset) + filled)
        guard read >= 0 else {
          readFailure.number = errno
          return nil
        }
        if read == 0 { break }
        filled += read
      }
      return body(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
    }
  }
}
