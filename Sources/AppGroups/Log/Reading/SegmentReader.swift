import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads the records of one segment, in pieces, from a place on.
///
/// Use it on one thread at a time.
final class SegmentReader {
  /// What comes next.
  enum Step {
    case record(LogRecord)
    /// Nothing more is there now; perhaps the beginning of a record.
    case end
    case damaged(offset: UInt64, reason: String)
  }

  let id: SegmentID
  let url: URL
  private let descriptor: Descriptor
  /// Where in the file the next record begins.
  private(set) var offset: UInt64
  private var nextSequence: UInt64
  /// What has been read of the file from `offset` on.
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var start = 0
  private var filled = 0
  /// Whether the buffer was not filled at one go.
  private var isPieced = false

  private static let smallest = 4096
  private static let largest = 65_536

  /// Opens a segment.
  ///
  /// - Parameters:
  ///   - id: Which segment.
  ///   - place: The log.
  ///   - position: Where to go on, unless it is another segment's.
  /// - Throws: ``AppGroupsLogError/inaccessible(_:)``, or ``AppGroupsLogError/damaged(_:offset:reason:)``.
  init(_ id: SegmentID, in place: LogPlace, from position: LogPosition) throws(AppGroupsLogError) {
    self.id = id
    url = place.url(of: id)
    // Without O_NONBLOCK, opening a named pipe would wait for somebody to write into it.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { [path = url.path] in open(path, flags) }) else {
      throw .inaccessible(DurableFileError(errno, "read", url))
    }
    guard let status = file.status else { throw .inaccessible(DurableFileError(errno, "look at", url)) }
    guard status.kind == .regular else { throw .inaccessible(.notARegularFile(url, kind: status.kind.rawValue)) }
    let header = withUnsafeTemporaryAllocation(byteCount: SegmentHeader.size, alignment: 8) { bytes in
      let count = uninterrupted { pread(file.number, bytes.baseAddress, bytes.count, 0) }
      return SegmentHeader(UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)]))
    }
    guard let header, header.id == id else {
      throw .damaged(url, offset: 0, reason: "it does not begin as this segment should")
    }
    firstSequence = header.firstSequence
    if position.segment == id.index, position.offset > 0 {
      guard position.offset <= status.size else {
        throw .damaged(url, offset: UInt64(status.size), reason: "it is shorter than it was")
      }
      (offset, nextSequence) = (position.offset, position.sequence + 1)
    } else {
      (offset, nextSequence) = (UInt64(SegmentHeader.size), header.firstSequence)
    }
    descriptor = file
  }

  /// The number of the segment's first event.
  let firstSequence: UInt64

  deinit {
    buffer.deallocate()
  }

  /// Whether nobody will write the segment any more.
  var isAbandoned: Bool { descriptor.isAbandoned }

  /// Reads on.
  func next() -> Step {
    while true {
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<filled])
      switch LogRecord.find(in: bytes, expecting: nextSequence) {
      case .record(let sequence, let time, let size):
        let payload = Data(bytes[LogRecord.headerSize..<size])
        start += size
        offset += UInt64(size)
        nextSequence += 1
        return .record(LogRecord(sequence: sequence, time: time, payload: payload, end: offset))
      case .incomplete(let size):
        switch fill(size) {
        case .some(true): continue
        case .some(false):
          // The beginning of a record may be taken back, if its writer could not write all of it.
          reread()
          return .end
        case .none: return .damaged(offset: offset, reason: errorWords(errno))
        }
      case .damaged(let reason):
        // It may be pieced together of what was taken back and of what came in its place.
        guard isPieced else { return .damaged(offset: offset, reason: reason) }
        reread()
      }
    }
  }

  /// Forgets what has been read ahead, to look at the file again.
  func reread() {
    start = 0
    filled = 0
    isPieced = false
  }

  /// Reads more of the file, so that the buffer may hold so many bytes.
  ///
  /// - Returns: Whether there was more; `nil` with `errno` set if reading failed.
  private func fill(_ size: Int) -> Bool? {
    let count = filled - start
    // A reader that finds full buffers has much to read, and gets larger ones.
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
    // Sound: the rest of the buffer is ours to fill.
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
    let read = uninterrupted { pread(descriptor.number, rest.baseAddress, rest.count, off_t(offset) + off_t(count)) }
    guard read >= 0 else { return nil }
    isPieced = count > 0
    filled += read
    if read == 0, count == 0, buffer.count > Self.smallest {
      // Nobody knows when the next event comes.
      buffer.deallocate()
      buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      (start, filled) = (0, 0)
    }
    return read > 0
  }
}
