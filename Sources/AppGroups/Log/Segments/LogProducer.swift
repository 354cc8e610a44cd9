import FileSignals
import Foundation
import Signals

/// The part of a log that one process appends, shared by all of its log objects and threads.
///
/// No other process writes a producer's segments, so it needs no lock between processes. Each producer has a new
/// identity, even in a forked process, so no process continues another's segment. In a scope, the identity is new after
/// each switch, so that the event numbers in one environment have no gap.
final class LogProducer: Sendable {
  let clock: LogClock
  let location: LogLocation
  private let writing: Guarded<Writing>
  /// The parts in suspensions and switches.
  private let memberships = Guarded<[SignalSubscription]>([])

  private init(_ location: LogLocation) {
    self.location = location
    let clock = LogClock()
    self.clock = clock
    writing = Guarded(Writing(clock, switchCount: location.switchCount ?? 0))
    let suspending = Suspensions.shared.add(self, at: location.url)
    let switching = location.scope?.enrol(self)
    memberships.withLock { $0 = [suspending, switching].compactMap(\.self) }
  }

  /// The identity of this process in the log.
  var id: UUID {
    let switchCount = location.switchCount
    return writing.withLock { writing in
      writing.checkIdentity(at: switchCount)
      return writing.identity
    }
  }

  /// Returns a Boolean value that indicates whether an identity belongs, or has belonged, to this process.
  func isThisProcess(_ producer: UUID) -> Bool {
    writing.withLock { writing in
      writing.checkIdentity(at: nil)
      return writing.identity == producer || writing.formerIdentities.contains(producer)
    }
  }

  /// Appends events, all in one segment, one after another.
  ///
  /// - Parameters:
  ///   - count: The number of events, at least one.
  ///   - payload: A closure that returns the payload of each event.
  ///   - segmentSize: The maximum size of a segment, unless the events alone are larger.
  ///   - durability: The failures that the events survive after this returns.
  /// - Returns: The producer, the first event's sequence, and a Boolean value that indicates whether a segment was
  ///   begun.
  /// - Throws: ``AppGroupsLogError``; then the first events may have been appended.
  func append(
    _ count: Int, _ payload: @Sendable (Int) -> Data, segmentSize: Int, durability: Durability
  ) throws(AppGroupsLogError) -> (producer: UUID, first: UInt64, isNewSegment: Bool) {
    var total = 0
    for index in 0..<count {
      let payload = payload(index)
      guard payload.count <= LogRecord.maximumPayload else {
        throw .tooLarge(location.url, count: payload.count, limit: LogRecord.maximumPayload)
      }
      total += LogRecord.size(of: payload)
    }
    return try location.withPlace { place, isFinal throws(AppGroupsLogError) in
      try writing.withLock { writing throws(AppGroupsLogError) in
        try writing.append(
          count, payload, total, in: place, isFinal: isFinal, segmentSize: segmentSize, durability: durability)
      }
    }
  }

  /// Ends the current segment; later events go to another one.
  func seal() {
    writing.withLock { $0.seal() }
  }

  // MARK: Shared producers

  private struct Key: Hashable {
    let path: ExactString
    let scope: ObjectIdentifier?
    let policy: ScopePolicy
  }

  private static let producers = SharedObjects<Key, LogProducer>()

  /// Returns this process's producer for a log that always has the same directory.
  static func shared(for place: LogPlace) -> LogProducer {
    shared(Key(path: ExactString(place.url.path), scope: nil, policy: .follows), at: LogLocation(place))
  }

  /// Returns this process's producer for a log in a root whose contents may be switched.
  static func shared(name: String, scope: Scope, policy: ScopePolicy) throws(AppGroupsLogError) -> LogProducer {
    let location = try LogLocation(name: name, scope: scope, policy: policy)
    return shared(Key(path: ExactString(location.url.path), scope: scope.identity, policy: policy), at: location)
  }

  private static func shared(_ key: Key, at location: @autoclosure () -> LogLocation) -> LogProducer {
    // A producer that a switch has closed stays closed, so a new one replaces it.
    producers.object(of: key, where: { !$0.location.isClosed }) { LogProducer(location()) }
  }
}

/// A producer holds the lock of its current segment.
extension LogProducer: Suspendable {
  func releaseForSuspension() { seal() }

  /// Does nothing: the next event begins a segment.
  func resumeAfterSuspension() {}
}

/// A producer leaves nothing open in contents that have left.
extension LogProducer: ScopeMember {
  var switchStage: ScopeStage { .logs }

  func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    guard outcome == .switched else { return PreparedSwitch() }
    // The location is a member since before this object, so it has its new directory now. A directory that is excluded
    // from switches stays the same.
    let place: LogPlace?
    do throws(AppGroupsLogError) {
      place = try location.place
    } catch {
      // An append reports why there is no directory.
      place = nil
    }
    writing.withLock { $0.seal(unlessIn: place) }
    return PreparedSwitch()
  }
}

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
      // A smaller number was read before a switch that another thread has already noticed.
      if let switchCount, switchCount > self.switchCount { becomeAnother(at: switchCount) }
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
