import CLibrary
import FileSignals
import Foundation

/// Reads the records of one segment in pieces, from a given position.
///
/// Use it on one thread at a time.
final class SegmentReader {
  /// The result of a read.
  enum Step {
    case record(LogRecord)
    /// The end of the segment, possibly after the beginning of a record that no process will complete.
    case end
    /// Bytes of a record whose writing may not be finished; `size` is the size of the segment with them.
    case doubtful(size: UInt64)
    /// Bytes that are not a record.
    ///
    /// The reader continues after them if it finds the next record.
    case damaged(SegmentDamage)
    /// The file could not be read, which says nothing about its content.
    case failed(AppGroupsLogError)
  }

  /// The caller's knowledge about the writing of the segment.
  enum Stage {
    /// The producer may be writing the next record.
    case growing
    /// The next bytes have not changed for a while, though the producer may still append.
    case settled
    /// The producer does not append to the segment any more.
    case sealed
  }

  let id: SegmentID
  let url: URL
  private let file: FileLock
  /// The offset of the next record in the file.
  private(set) var offset: UInt64
  private(set) var nextSequence: UInt64
  private let salt: UInt32
  /// The time at which the segment was begun, in nanoseconds since 1970 and whole seconds.
  let time: UInt64
  /// A Boolean value that indicates whether the file was read since this was last set to `false`.
  var hasRead = false
  /// The bytes of the file that have been read ahead.
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var start = 0
  private var filled = 0
  /// A Boolean value that indicates whether the last read has reached the end of the file.
  private var isAtEnd = false

  private static let smallest = 4096
  private static let largest = 65_536

  /// Opens a segment.
  ///
  /// - Parameters:
  ///   - id: The segment.
  ///   - place: The log.
  ///   - position: The position to continue at; it is ignored if it belongs to another segment.
  /// - Throws: ``AppGroupsLogError/inaccessible(_:)``, or ``AppGroupsLogError/damaged(_:bytes:lostEvents:reason:)``.
  init(_ id: SegmentID, in place: LogPlace, from position: LogPosition) throws(AppGroupsLogError) {
    self.id = id
    url = place.url(of: id)
    guard let file = FileLock(place.path(of: id), in: place.base, .reading, of: url) else {
      throw .inaccessible(DurableFileError(errno, "read", url))
    }
    guard let status = file.status else { throw .inaccessible(DurableFileError(errno, "inspect", url)) }
    guard status.kind == .regular else { throw .inaccessible(.notARegularFile(url, kind: status.kind.rawValue)) }
    guard let header = try SegmentHeader(of: file.number, at: url), header.id == id else {
      let bytes = 0..<UInt64(status.size)
      throw .damaged(url, bytes: bytes, lostEvents: nil, reason: "its header is not the header of this segment")
    }
    salt = header.salt
    time = header.time
    firstSequence = header.firstSequence
    if position.segment == id.index, position.offset > 0 {
      guard position.offset <= status.size else {
        let bytes = UInt64(status.size)..<position.offset
        throw .damaged(url, bytes: bytes, lostEvents: nil, reason: "it is shorter than before")
      }
      (offset, nextSequence) = (position.offset, position.sequence + 1)
    } else {
      (offset, nextSequence) = (UInt64(SegmentHeader.size), header.firstSequence)
    }
    self.file = file
  }

  /// The number of the segment's first event.
  let firstSequence: UInt64

  deinit {
    buffer.deallocate()
  }

  /// A Boolean value that indicates whether no process will write the segment any more.
  var isAbandoned: Bool { file.isAbandoned }

  /// Records that the file may have grown since its end was reached.
  func noteGrowth() { isAtEnd = false }

  /// Reads on.
  ///
  /// If the last read has reached the end of a growing segment, the segment is not read again before ``noteGrowth()``.
  ///
  /// - Parameter stage: The stage of the segment, determined before the call.
  /// - Returns: The next step.
  func next(_ stage: Stage) -> Step {
    // A later write causes another notification.
    if isAtEnd, stage == .growing, start == filled { return .end }
    var isReread = false
    while true {
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<filled])
      let size = offset + UInt64(bytes.count)
      switch LogRecord.find(in: bytes, expecting: nextSequence, salt: salt) {
      case .record(let sequence, let time, let size):
        let payload = Data(bytes[LogRecord.headerSize..<size])
        start += size
        offset += UInt64(size)
        nextSequence += 1
        return .record(LogRecord(sequence: sequence, time: time, payload: payload, end: offset))
      case .incomplete(let wanted):
        switch fill(wanted) {
        case .some(true): continue
        case .some(false):
          // A writer that could not write a whole record may remove the beginning of it.
          reread()
          if size == offset { return .end }
          if stage == .growing { return .doubtful(size: size) }
          if isReread { return passCutRecord(stage, size) }
        case .none:
          return .failed(.inaccessible(DurableFileError(errno, "read", url)))
        }
      case .damaged(let reason):
        // The bytes may mix a removed record with the one that replaced it.
        reread()
        if isReread { return stage == .growing ? .doubtful(size: size) : passDamage(reason) }
      }
      isReread = true
    }
  }

  /// Returns the next step, without waiting for an unfinished record to be completed.
  func nextAtOnce() -> Step {
    let step = next(.growing)
    guard case .doubtful = step else { return step }
    return next(isAbandoned ? .sealed : .settled)
  }

  /// Returns the next record, or `nil` at the end, at damage, and where a record may not be finished.
  func nextRecord() throws(AppGroupsLogError) -> LogRecord? {
    switch next(.growing) {
    case .record(let record): return record
    case .failed(let error): throw error
    case .end, .doubtful, .damaged: return nil
    }
  }

  // MARK: Damage

  /// The current size of the segment.
  private var size: UInt64 { file.status.map { UInt64($0.size) } ?? offset }

  private var search: SegmentSearch {
    SegmentSearch(file: file.number, salt: salt, start: offset, end: size, sequence: nextSequence)
  }

  private func passDamage(_ reason: String) -> Step {
    var search = search
    let place = search.place()
    if let failure = failure(of: search) { return failure }
    return place.map { pass(to: $0, reason) } ?? damage(upTo: search.end, reason)
  }

  /// Returns damage after which no record was found.
  private func damage(upTo end: UInt64, _ reason: String) -> Step {
    .damaged(SegmentDamage(bytes: offset..<max(offset, end), next: nil, reason: reason))
  }

  /// Decides whether a record that claims to be longer than the segment is cut off, still being written, or damaged.
  private func passCutRecord(_ stage: Stage, _ size: UInt64) -> Step {
    var search = search
    // While the producer may be writing the record, bytes in its payload may look like records, but do not match its
    // checksum.
    let place = stage == .sealed ? search.place() : search.placeByChecksum()
    if let failure = failure(of: search) { return failure }
    guard let place else { return stage == .sealed ? .end : .doubtful(size: size) }
    return pass(to: place, "the length of record \(nextSequence) is wrong")
  }

  /// Returns the failure of a search, which may have overlooked a record.
  private func failure(of search: SegmentSearch) -> Step? {
    search.failure.map { .failed(.inaccessible(DurableFileError($0, "read", url))) }
  }

  private func pass(to place: SegmentSearch.Place, _ reason: String) -> Step {
    let damage = SegmentDamage(
      bytes: offset..<place.offset, lostEvents: place.sequence - nextSequence, next: place.sequence, reason: reason)
    (offset, nextSequence) = (place.offset, place.sequence)
    return .damaged(damage)
  }

  /// Discards the bytes that were read ahead, so that the file is read again.
  private func reread() {
    start = 0
    filled = 0
    isAtEnd = false
  }

  /// Reads more of the file into a buffer with room for a given number of bytes.
  ///
  /// - Returns: `true` if bytes were read, `false` at the end, or `nil` with `errno` set if reading failed.
  private func fill(_ size: Int) -> Bool? {
    let count = filled - start
    // A reader that fills its buffers has much to read, and gets larger ones.
    let wanted = filled == buffer.count && !buffer.isEmpty ? min(buffer.count * 4, Self.largest) : Self.smallest
    let capacity = max(size, wanted)
    if buffer.count < capacity {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<filled]))
      buffer.deallocate()
      buffer = larger
    } else if start > 0, count > 0 {
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<filled]))
    }
    start = 0
    filled = count
    // Sound: the reader owns the buffer and may fill the rest of it.
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
    let read = readSome(rest, from: file.number, at: Int(offset) + count)
    guard read >= 0 else { return nil }
    filled += read
    isAtEnd = read < rest.count
    if read > 0 { hasRead = true }
    if read == 0, count == 0, buffer.count > Self.smallest {
      // It is unknown when the next event arrives, so the memory is released.
      buffer.deallocate()
      buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      (start, filled) = (0, 0)
    }
    return read > 0
  }
}

/// A range of bytes in a segment that contains no valid record.
struct SegmentDamage: Hashable, Sendable {
  /// The damaged range; it reaches the end of the segment if no record was found after it.
  let bytes: Range<UInt64>
  /// The number of events that were lost, or `nil` if it is unknown.
  var lostEvents: UInt64?
  /// The sequence of the record with which the segment continues after the damage, or `nil` if there is none.
  let next: UInt64?
  let reason: String
}
