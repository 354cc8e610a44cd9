import FileSignals
import Foundation

extension LogProducer {
  /// The state of a producer's appends, with the segment that it appends to.
  struct Writing: ~Copyable {
    private(set) var identity = UUID.random()
    /// The identities that this process had in other contents of a scope.
    private(set) var formerIdentities: Set<UUID> = []
    /// The number of the contents that the identity belongs to.
    private var switchCount: Int
    private let clock: LogClock
    private var forkCount = Forks.count
    private var segment: SegmentWriter?
    private var index: UInt64 = 0
    private var sequence: UInt64 = 0
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ clock: LogClock, switchCount: Int) {
      self.switchCount = switchCount
      self.clock = clock
    }

    deinit {
      scratch.deallocate()
    }

    /// Appends events whose records have a given total size in bytes.
    ///
    /// - Returns: The producer, the first event's sequence and whether a segment was begun; `nil` if the log's path
    ///   does not lead to its place any more, unless `isFinal`.
    mutating func append(
      _ count: Int, _ payload: @Sendable (Int) -> Data, _ total: Int, in place: LogPlace, isFinal: Bool,
      segmentSize: Int, durability: Durability
    ) throws(AppGroupsLogError) -> (producer: UUID, first: UInt64, isNewSegment: Bool)? {
      checkIdentity(at: place.switchCount)
      let found = try segment(for: total, in: place, isFinal: isFinal, segmentSize: segmentSize, durability: durability)
      guard let (segment, isNew) = found else { return nil }
      guard !isNew || segment.hasRoom(for: total) else { throw .inaccessible(.fileTooLarge(segment.url)) }
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

    /// Returns the segment to append to: a new one, or the last one if it has room and is not removed.
    private mutating func segment(
      for count: Int, in place: LogPlace, isFinal: Bool, segmentSize: Int, durability: Durability
    ) throws(AppGroupsLogError) -> (SegmentWriter, isNew: Bool)? {
      if let segment, segment.isUsable, try segment.isInPlace(orAnywhere: isFinal) {
        let isEmpty = segment.size == SegmentHeader.size
        if isEmpty || segment.size + count <= segmentSize {
          if segment.hasRoom(for: count) { return (segment, false) }
          if isEmpty { throw .inaccessible(.fileTooLarge(segment.url)) }
        }
      }
      if !isFinal, try !place.isAtPath { return nil }
      segment = nil
      do throws(AppGroupsLogError) {
        return (try makeSegment(in: place, durability), true)
      } catch let error where error.isAboutNothingThere {
        // The directory was removed, or another process took the new segment for the leftover of a dead process.
        try place.make()
        return (try makeSegment(in: place, durability), true)
      }
    }

    private mutating func makeSegment(
      in place: LogPlace, _ durability: Durability
    ) throws(AppGroupsLogError) -> SegmentWriter {
      // Even inside an update that may finish: the lock of a segment would outlast it.
      if DirectoryRules.phase(for: place.url) == .suspended { throw .suspended(place.url, operation: "append to") }
      index += 1
      let id = SegmentID(producer: identity, index: index)
      let header = SegmentHeader(id: id, firstSequence: sequence + 1, time: clock.next())
      let segment = try SegmentWriter(header, in: place, durability: durability)
      self.segment = segment
      return segment
    }

    /// Becomes another producer if the contents were switched or the process was forked.
    ///
    /// A forked process must not write to the segments of its parent.
    ///
    /// - Parameter switchCount: The number of the contents, or `nil` to ignore the contents.
    mutating func checkIdentity(at switchCount: Int?) {
      if let switchCount, switchCount != self.switchCount { becomeAnother(at: switchCount) }
      let current = Forks.count
      guard current != forkCount else { return }
      forkCount = current
      becomeAnother(at: self.switchCount)
      formerIdentities = []
    }

    /// Takes a new identity, under which no event has been appended.
    private mutating func becomeAnother(at switchCount: Int) {
      self.switchCount = switchCount
      if index > 0 { formerIdentities.insert(identity) }
      identity = UUID.random()
      segment = nil
      index = 0
      sequence = 0
    }

    /// Closes the current segment, and releases its lock.
    mutating func seal() { segment = nil }

    /// Closes the current segment, unless it is in a place.
    mutating func seal(unlessIn place: LogPlace?) {
      if let segment, segment.place !== place { seal() }
    }

    private mutating func reserve(_ count: Int) {
      guard scratch.count < count else { return }
      scratch.deallocate()
      scratch = .allocate(byteCount: max(4096, count), alignment: 16)
    }
  }
}
