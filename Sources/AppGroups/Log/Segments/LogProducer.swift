import FileSignals
import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What one process appends to one log: all of its log objects and threads share it.
///
/// A producer has segments that nobody else writes, so it needs no lock between processes. Its identity is new each
/// time, also for a process that was forked, so no segment is ever continued by another.
final class LogProducer: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  let clock = LogClock()
  private let place: LogPlace
  private let lock = Lock()
  private var identity = UUID.random()
  private var process = getpid()
  private var segment: SegmentWriter?
  private var index: UInt64 = 0
  private var sequence: UInt64 = 0
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  private init(_ place: LogPlace) {
    self.place = place
  }

  deinit {
    scratch.deallocate()
  }

  /// Who this process is in the log.
  var id: UUID {
    lock.withLock {
      checkProcess()
      return identity
    }
  }

  /// Appends events, all in one segment, one after another.
  ///
  /// - Parameters:
  ///   - count: How many there are, one at least.
  ///   - payload: The payload of each.
  ///   - segmentSize: How large a segment may become, unless the events alone are larger.
  ///   - durability: What the events are safe against when this returns.
  /// - Returns: The producer, the first event's sequence, and whether a segment was begun.
  /// - Throws: ``AppGroupsLogError``; the first events may have been appended then.
  func append(
    _ count: Int, _ payload: (Int) -> Data, segmentSize: Int, durability: Durability
  ) throws(AppGroupsLogError) -> (producer: UUID, first: UInt64, isNewSegment: Bool) {
    var total = 0
    for index in 0..<count {
      let payload = payload(index)
      guard payload.count <= LogRecord.maximumPayload else {
        throw .tooLarge(place.url, count: payload.count, limit: LogRecord.maximumPayload)
      }
      total += LogRecord.size(of: payload)
    }
    lock.lock()
    defer { lock.unlock() }
    checkProcess()
    let (segment, isNew) = try segment(for: total, segmentSize: segmentSize, durability: durability)
    guard segment.hasRoom(for: total) else { throw .inaccessible(.fileTooLarge(segment.url)) }
    reserve(total)
    var offset = 0
    for index in 0..<count {
      let payload = payload(index)
      let end = offset + LogRecord.size(of: payload)
      let buffer = UnsafeMutableRawBufferPointer(rebasing: scratch[offset..<end])
      LogRecord.write(
        payload, sequence: sequence + UInt64(index) + 1, time: clock.next(), salt: segment.salt, to: buffer)
      offset = end
    }
    let first = sequence + 1
    let (written, error) = segment.append(UnsafeRawBufferPointer(rebasing: scratch[..<total]))
    if let error {
      var (whole, size) = (0, 0)
      while whole < count, size + LogRecord.size(of: payload(whole)) <= written {
        size += LogRecord.size(of: payload(whole))
        whole += 1
      }
      segment.cut(to: size)
      sequence += UInt64(whole)
      throw error
    }
    sequence += UInt64(count)
    if durability == .storage { try segment.synchronize() }
    return (identity, first, isNew)
  }

  /// The segment to append to: the last one, unless it is full or gone.
  private func segment(
    for count: Int, segmentSize: Int, durability: Durability
  ) throws(AppGroupsLogError) -> (SegmentWriter, isNew: Bool) {
    if let segment, segment.isUsable, segment.isInPlace {
      let isEmpty = segment.size == SegmentHeader.size
      if isEmpty || (segment.size + count <= segmentSize && segment.hasRoom(for: count)) { return (segment, false) }
    }
    segment = nil
    do {
      return (try makeSegment(durability), true)
    } catch let error where error.isAboutNothingThere {
      // Somebody removed the directory, or took the new segment for what a dead process had left.
      try place.make()
      return (try makeSegment(durability), true)
    }
  }

  private func makeSegment(_ durability: Durability) throws(AppGroupsLogError) -> SegmentWriter {
    index += 1
    let id = SegmentID(producer: identity, index: index)
    let header = SegmentHeader(id: id, firstSequence: sequence + 1, time: clock.next())
    let segment = try SegmentWriter(header, in: place, durability: durability)
    self.segment = segment
    return segment
  }

  /// A forked process is another producer: it must not write where its parent does.
  private func checkProcess() {
    let current = getpid()
    guard current != process else { return }
    process = current
    identity = UUID.random()
    segment = nil
    index = 0
    sequence = 0
  }

  private func reserve(_ count: Int) {
    guard scratch.count < count else { return }
    scratch.deallocate()
    scratch = .allocate(byteCount: max(4096, count), alignment: 16)
  }

  // MARK: One for each log

  private struct Entry {
    weak var producer: LogProducer?
  }

  private static let registryLock = Lock()
  nonisolated(unsafe) private static var registry: [ExactString: Entry] = [:]  // Sound: guarded by the lock.

  /// This process's producer for a log.
  static func shared(for place: LogPlace) -> LogProducer {
    registryLock.withLock {
      let path = ExactString(place.url.path)
      if let producer = registry[path]?.producer { return producer }
      registry = registry.filter { $0.value.producer != nil }
      let producer = LogProducer(place)
      registry[path] = Entry(producer: producer)
      return producer
    }
  }
}
