import CLibrary
import Dispatch
import FileSignals
import Foundation

/// Removes the segments that no consumer needs any more, and the oldest ones beyond the size limit.
///
/// Any process may trim, one at a time. Only segments that no process appends to are removed.
struct LogTrimmer {
  let place: LogPlace
  let limits: LogLimits

  /// The size of a block of the file system; no file takes less.
  private static let block = 4096

  /// The minimum age of an abandoned incomplete segment before it is removed.
  private static let litterAge = Duration.seconds(60)

  private struct Segment {
    let id: SegmentID
    let size: Int
  }

  private struct Consumer {
    let place: ConsumerPlace
    /// The positions of the consumer, or `nil` if they cannot be read, for example because a newer version saved them.
    let positions: [UUID: LogPosition]?
  }

  /// Trims the log.
  ///
  /// - Parameter isWaiting: A Boolean value that indicates whether to wait for another process that is trimming,
  ///   instead of leaving the work to it.
  /// - Throws: The error of a file that could not be read or removed.
  func trim(isWaiting: Bool) throws(AppGroupsLogError) {
    guard let lock = try place.lockTrimming(isWaiting: isWaiting) else { return }
    try removeLitter()
    var problem: AppGroupsLogError?
    // Before the consumers: a segment that is full now has no event that a later consumer needs.
    let (sealed, activeSize) = try segments()
    let consumers = try consumers { problem = problem ?? $0 }
    var kept: [Segment] = []
    for segment in sealed {
      if segment.size <= SegmentHeader.size || (!consumers.isEmpty && consumers.allSatisfy { has($0, read: segment) }) {
        try remove(segment.id)
      } else {
        kept.append(segment)
      }
    }
    try shrink(kept, besides: activeSize, consumers)
    withExtendedLifetime(lock.number) {}
    if let problem { throw problem }
  }

  // MARK: Inventory

  /// Returns the segments that no process appends to, and the total size of the others.
  private func segments() throws(AppGroupsLogError) -> (sealed: [Segment], activeSize: Int) {
    var sealed: [Segment] = []
    var activeSize = 0
    for (producer, indices) in try SegmentListing.segments(in: place) {
      for index in indices {
        let id = SegmentID(producer: producer, index: index)
        let path = place.path(of: id)
        // A producer that has begun the next segment does not return to this one.
        if let final = try index == indices.last ? abandoned(path, place.url(of: id)) : status(id) {
          sealed.append(Segment(id: id, size: final.size))
        } else if let status = try status(id) {
          activeSize += Self.room(for: status.size)
        }
      }
    }
    return (sealed, activeSize)
  }

  /// Returns the final status of a file if the process that created it has ended.
  private func abandoned(_ path: String, _ url: URL) -> FileStatus? {
    guard let file = FileLock(path, in: place.base, .reading, of: url), file.isAbandoned else { return nil }
    // Read only now, because an earlier status could lack the last event of the ended process.
    return file.status
  }

  private func status(_ id: SegmentID) throws(AppGroupsLogError) -> FileStatus? {
    try AppGroupsLogError.examining { () throws(DurableFileError) in
      try FileStatus(path: place.path(of: id), relativeTo: place.base, followsLinks: false, of: place.url(of: id))
    }
  }

  /// Returns the consumers that the log is kept for, and drops those that were absent for too long.
  ///
  /// - Parameter report: Receives the error if a consumer cannot be dropped; the log is then kept for it.
  /// - Returns: The consumers and their positions.
  /// - Throws: ``AppGroupsLogError`` if the consumers cannot be listed.
  private func consumers(_ report: (AppGroupsLogError) -> Void) throws(AppGroupsLogError) -> [Consumer] {
    var consumers: [Consumer] = []
    for place in try ConsumerPlace.all(in: place) {
      do throws(AppGroupsLogError) {
        if try drop(place) { continue }
      } catch {
        report(error)
      }
      do throws(AppGroupsLogError) {
        guard let positions = try positions(of: place) else { continue }
        consumers.append(Consumer(place: place, positions: positions))
      } catch {
        // Only a file can be a cursor. A running consumer saves one there; without one, no consumer loses events.
        if hasStrayCursor(place), !place.isRunning { continue }
        consumers.append(Consumer(place: place, positions: nil))
      }
    }
    return consumers
  }

  /// Returns the positions of a consumer, or `nil` if the log is not kept for it.
  private func positions(of consumer: ConsumerPlace) throws(AppGroupsLogError) -> [UUID: LogPosition]? {
    if let positions = try consumer.load() { return positions }
    return try consumer.isExpected ? [:] : nil
  }

  private func hasStrayCursor(_ consumer: ConsumerPlace) -> Bool {
    tolerating(try consumer.hasStrayCursor, else: false)
  }

  /// Drops a consumer that was absent for too long.
  ///
  /// - Returns: A Boolean value that indicates whether it was dropped.
  private func drop(_ consumer: ConsumerPlace) throws(AppGroupsLogError) -> Bool {
    guard try isAbsent(consumer) else { return false }
    var lock: ConsumerLock?
    if try !consumer.hasStrayLock {
      lock = try consumer.lock()
      // A process that holds the lock is present, even if it is idle, and will have been present a moment after its end.
      if lock == nil { try consumer.noteRunning() }
      // It may also have held the lock a moment ago.
      guard lock != nil, try isAbsent(consumer) else { return false }
    }
    try consumer.leaveLossNote(of: .absence)
    try consumer.removeCursor()
    withExtendedLifetime(lock) {}
    return true
  }

  /// Returns a Boolean value that indicates whether a consumer has been absent for too long.
  private func isAbsent(_ consumer: ConsumerPlace) throws(AppGroupsLogError) -> Bool {
    guard let lastKnown = try consumer.lastKnown else { return false }
    let limit = Int(clamping: limits.consumerAbsence.components.seconds)
    guard age(of: lastKnown) > .seconds(limit) else { return false }
    // The clock may have been set ahead.
    return consumer.lastMoment?.age.map { $0 > limit } ?? true
  }

  /// Returns a Boolean value that indicates whether a consumer does not need a segment any more.
  private func has(_ consumer: Consumer, read segment: Segment) -> Bool {
    guard let position = consumer.positions?[segment.id.producer], position.segment >= segment.id.index else {
      return false
    }
    if position.segment > segment.id.index || position.offset >= segment.size { return true }
    // A killed producer may have left the beginning of a record, which no process will ever complete.
    guard position.offset > 0 else { return false }
    return tolerating(else: false) {
      // Unreadable records count as unread; the consumer itself must skip them.
      if case .end = try SegmentReader(segment.id, in: place, from: position).next(.sealed) { return true }
      return false
    }
  }

  // MARK: Removal

  /// Removes the oldest segments for as long as the total size exceeds the limit.
  private func shrink(
    _ segments: [Segment], besides activeSize: Int, _ consumers: [Consumer]
  ) throws(AppGroupsLogError) {
    var total = segments.reduce(activeSize) { $0 + Self.room(for: $1.size) }
    guard total > limits.totalSize else { return }
    let dated = try segments.map { segment throws(AppGroupsLogError) in
      (time: try time(of: segment.id), segment: segment)
    }
    let oldestFirst = dated.sorted { ($0.time, $0.segment.id.index) < ($1.time, $1.segment.id.index) }
    var losers: Set<String> = []
    for (_, segment) in oldestFirst where total > limits.totalSize {
      // The note comes first, so that a process that dies in between does not remove events silently.
      for consumer in consumers where !losers.contains(consumer.place.name) && !has(consumer, read: segment) {
        try consumer.place.leaveLossNote(of: .sizeLimit)
        losers.insert(consumer.place.name)
      }
      try remove(segment.id)
      total -= Self.room(for: segment.size)
    }
  }

  /// Returns the time at which a segment was begun; 0 if it is gone or damaged.
  private func time(of id: SegmentID) throws(AppGroupsLogError) -> UInt64 {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let url = place.url(of: id)
    guard let file = Descriptor(uninterrupted { openat(place.base, place.path(of: id), flags) }) else {
      if errno == ENOENT || errno == ELOOP { return 0 }
      throw .inaccessible(DurableFileError(errno, "read", url))
    }
    return try SegmentHeader(of: file.number, at: url)?.time ?? 0
  }

  private func remove(_ id: SegmentID) throws(AppGroupsLogError) {
    guard unlinkat(place.base, place.path(of: id), 0) == 0 || errno == ENOENT else {
      throw .inaccessible(DurableFileError(errno, "remove", place.url(of: id)))
    }
  }

  /// Removes segments that were never completed because their process died.
  private func removeLitter() throws(AppGroupsLogError) {
    let (base, shared) = (place.base, place.shared)
    let names = try SegmentListing.names(at: place.sharedPath, in: base, of: shared)
    for name in names where name.hasSuffix(".segment.new") {
      let path = place.path(ofIncomplete: name)
      // A file that is not locked yet may be a moment old.
      let url = shared.appending(path: name, directoryHint: .notDirectory)
      // Litter that cannot be examined is left where it is.
      let status = FileStatus.ifReadable(path: path, relativeTo: base, followsLinks: false)
      guard let status, age(of: status.modified.tv_sec) > Self.litterAge else { continue }
      if abandoned(path, url) != nil { unlinkat(base, path, 0) }
    }
  }

  /// Returns the age of a file's time in whole seconds since 1970.
  private func age(of time: Int) -> Duration {
    FileStamp.age(of: .seconds(time), at: .seconds(Int(Date().timeIntervalSince1970)))
  }

  private static func room(for size: Int) -> Int {
    (max(1, size) + block - 1) / block * block
  }

  // MARK: Background

  private static let queue = DispatchQueue(label: "org.signals.log.trim", qos: .utility)

  /// Waits for the trims of this process that are under way.
  static func waitUntilTrimmed() {
    queue.sync {}
  }

  /// Trims soon on a background queue, without waiting for it.
  ///
  /// - Parameter report: Receives the error if trimming fails.
  func trimLater(report: @escaping @Sendable (AppGroupsLogError) -> Void) {
    Self.queue.async {
      do throws(AppGroupsLogError) {
        try trim(isWaiting: false)
      } catch {
        // A suspended process leaves trimming to the others. A slow subscriber to failures delays no other log.
        if !error.isAboutSuspension { DispatchQueue.global(qos: .utility).async { report(error) } }
      }
    }
  }
}
