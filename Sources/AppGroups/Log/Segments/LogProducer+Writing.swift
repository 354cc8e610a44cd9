import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension LogProducer {
  /// The segment that a producer appends to, and how far it is.
  struct Writing: ~Copyable {
    private(set) var identity = UUID.random()
    private let place: LogPlace
    private let clock: LogClock
    private var process = getpid()
    private var segment: SegmentWriter?
    private var index: UInt64 = 0
    private var sequence: UInt64 = 0
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ place: LogPlace, _ clock: LogClock) {
      self.place = place
      self.clock = clock
    }

    deinit {
      scratch.deallocate()
    }

    /// Appends events, whose records have so many bytes in total.
    mutating func append(
      _ count: Int, _ payload: @Sendable (Int) -> Data, _ total: Int, segmentSize: Int, durability: Durability
    ) throws(AppGroupsLogError) -> (producer: UUID, first: UInt64, isNewSegment: Bool) {
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
    private mutating func segment(
      for count: Int, segmentSize: Int, durability: Durability
    ) throws(AppGroupsLogError) -> (SegmentWriter, isNew: Bool) {
      if let segment, segment.isUsable, segment.isInPlace {
        let isEmpty = segment.size == SegmentHeader.size
        if isEmpty || (segment.size + count <= segmentSize && segment.hasRoom(for: count)) { return (segment, false) }
      }
      segment = nil
      do throws(AppGroupsLogError) {
        return (try makeSegment(durability), true)
      } catch let error where error.isAboutNothingThere {
        // Somebody removed the directory, or took the new segment for what a dead process had left.
        try place.make()
        return (try makeSegment(durability), true)
      }
    }

    private mutating func makeSegment(_ durability: Durability) throws(AppGroupsLogError) -> SegmentWriter {
      index += 1
      let id = SegmentID(producer: identity, index: index)
      let header = SegmentHeader(id: id, firstSequence: sequence + 1, time: clock.next())
      let segment = try SegmentWriter(header, in: place, durability: durability)
      self.segment = segment
      return segment
    }

    /// Becomes another producer in a forked process, which must not write where its parent does.
    mutating func checkProcess() {
      let current = getpid()
      guard current != process else { return }
      process = current
      identity = UUID.random()
      segment = nil
      index = 0
      sequence = 0
    }

    private mutating func reserve(_ count: Int) {
      guard scratch.count < count else { return }
      scratch.deallocate()
      scratch = .allocate(byteCount: max(4096, count), alignment: 16)
    }
  }
}
