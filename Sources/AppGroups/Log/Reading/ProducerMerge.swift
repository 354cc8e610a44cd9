import Foundation

/// Merges the events of all producers: each producer's in order, and among waiting events, the oldest first.
///
/// An event may be the effect of one that was appended to a segment after the merge had read that to its end. Such a
/// cause was appended before its effect was read. So before an event is returned, all segments without a waiting event
/// are checked, unless that has happened since the event was read. An event costs a check only if its segment had to be
/// read for it, and many events are read at once.
///
/// ``LogReader`` guards it.
final class ProducerMerge {
  private let place: LogPlace
  /// A Boolean value that indicates whether only the initially known producers are read.
  private let isLimited: Bool
  private var producers: [UUID: ProducerReader] = [:]
  private var names: [String: ProducerReader] = [:]
  private(set) var tails: Set<String> = []
  /// The readers with a head, the one with the oldest head last.
  private var waiting: [ProducerReader] = []
  /// The problems that have not been reported yet.
  private var problems: [AppGroupsLogError] = []
  /// A Boolean value that indicates whether the oldest head was returned, so that its reader must advance first.
  private var isOldestSpent = false

  /// The number of times that a file was read for a head.
  private var stamp: UInt64 = 0
  /// The value of ``stamp`` when the last check for causes began.
  private var checkedStamp: UInt64 = 0
  /// The readers that may find more.
  private var live: [ProducerReader] = []
  /// The last known change of the directory.
  private var listed = LogPlace.Change.none

  /// The readers that have a file open, in the order in which they opened it.
  private var open: [ProducerReader] = []
  /// The readers that reached their end since the last call of ``takeExhausted()``.
  private var exhausted: [ProducerReader] = []
  /// The readers that found a record whose writing may not be finished.
  private var doubtful: [ProducerReader] = []
  /// The producers whose next segment cannot be opened at the moment.
  private var blocked: Set<UUID> = []
  /// The reason why the segments cannot be listed.
  private var obstacle: AppGroupsLogError?

  /// The maximum number of files that are open at a time.
  private static let openLimit = 32
  /// The maximum number of producers without a segment that are remembered, in case they return.
  private static let goneLimit = 1024

  init(_ place: LogPlace, from positions: [UUID: LogPosition]) {
    self.place = place
    isLimited = false
    for (producer, position) in positions {
      producers[producer] = ProducerReader(producer, in: place, from: position)
    }
  }

  /// Creates a merge that reads all events up to given positions, once.
  init(_ place: LogPlace, upTo limits: [UUID: LogPosition]) {
    self.place = place
    isLimited = true
    for (producer, limit) in limits {
      producers[producer] = ProducerReader(producer, in: place, from: .beginning, upTo: limit)
    }
  }

  /// Finds the events that were removed since the limits were set.
  func checkEnds() {
    for reader in producers.values { reader.progress.reportMissingEnd { problems.append($0) } }
  }

  /// Lists the segments and reads on in each of them.
  ///
  /// Call it after the directory is observed, and when files appear or disappear.
  ///
  /// - Returns: The producers that have segments.
  func scan() -> Set<UUID> {
    // Before the listing, so that no later change is missed.
    listed.update(to: place.lastChange)
    let segments: [UUID: [UInt64]]
    do throws(AppGroupsLogError) {
      segments = try SegmentListing.completeSegments(in: place, after: producers.mapValues(\.position.segment))
      obstacle = nil
    } catch {
      if error != obstacle { problems.append(error) }
      obstacle = error
      return Set(producers.keys)
    }
    names.removeAll(keepingCapacity: true)
    tails.removeAll(keepingCapacity: true)
    live.removeAll(keepingCapacity: true)
    for (producer, indices) in segments where !isLimited || producers[producer] != nil {
      let reader = producers[producer] ?? ProducerReader(producer, in: place, from: .beginning)
      producers[producer] = reader
      reader.hasSegments = true
      reader.update(indices)
      for index in indices { names[SegmentID(producer: producer, index: index).fileName] = reader }
      if let last = indices.last { tails.insert(SegmentID(producer: producer, index: last).fileName) }
      if reader.progress.isOver { continue }
      live.append(reader)
      look(at: reader)
    }
    var goneCount = 0
    for (producer, reader) in producers where segments[producer] == nil {
      reader.hasSegments = false
      reader.update([])
      // The file may still be open, and have more records.
      let isFinal = reader.isFinal
      look(at: reader)
      if isFinal, reader.head == nil { close(reader) }
      goneCount += 1
      if goneCount > Self.goneLimit, reader.isGone { producers[producer] = nil }
    }
    return Set(segments.keys)
  }

  /// Reads on in a segment that has been written to.
  ///
  /// - Returns: A Boolean value that indicates whether the segment is known.
  func look(atSegment name: String) -> Bool {
    guard let reader = names[name] else { return SegmentID(fileName: name) == nil }
    look(at: reader)
    return true
  }

  /// Reads the doubtful records again.
  func lookAgain() {
    let readers = doubtful
    doubtful = []
    for reader in readers { look(at: reader) }
  }

  /// A Boolean value that indicates whether a doubtful record should be read again soon.
  var isInDoubt: Bool { !doubtful.isEmpty }

  /// A Boolean value that indicates whether a file cannot be read at the moment, and no notification announces when it
  /// can.
  ///
  /// ``scan()`` tries again.
  var isBlocked: Bool { !blocked.isEmpty || obstacle?.mayPassUnseen == true }

  private func look(at reader: ProducerReader) {
    reader.noteGrowth()
    readOn()
    if reader.head == nil { advance(reader, mayHaveGrown: true) }
  }

  private func advance(_ reader: ProducerReader, mayHaveGrown: Bool) {
    reader.advance(mayHaveGrown: mayHaveGrown) { problems.append($0) }
    if reader.head == nil { exhausted.append(reader) }
    if reader.progress.isInDoubt { doubtful.append(reader) }
    note(reader)
  }

  /// Records the state of a reader that has read on.
  private func note(_ reader: ProducerReader) {
    if let head = reader.head {
      waiting.insert(reader, at: waiting.partition(by: head.time))
      if reader.takeFreshness() {
        stamp += 1
        reader.stamp = stamp
      }
    }
    if reader.progress.isBlocked {
      blocked.insert(reader.producer)
    } else if !blocked.isEmpty {
      blocked.remove(reader.producer)
    }
    guard reader.isOpen, !reader.isCounted else { return }
    reader.isCounted = true
    open.append(reader)
    guard open.count > Self.openLimit else { return }
    // The reader continues at its position when its turn comes.
    let oldest = open.removeFirst()
    oldest.isCounted = false
    oldest.close()
  }

  /// Closes the file of a reader, because a removed file occupies its space for as long as it is open.
  private func close(_ reader: ProducerReader) {
    open.removeAll { $0 === reader }
    reader.isCounted = false
    reader.close()
  }

  /// Returns the next record of all producers, and the position of its producer after it.
  func next() -> (producer: UUID, record: LogRecord, position: LogPosition)? {
    readOn()
    while let reader = waiting.last, let record = reader.head {
      guard isLimited || reader.stamp <= checkedStamp else {
        findCauses()
        continue
      }
      isOldestSpent = true
      return (reader.producer, record, reader.position)
    }
    return nil
  }

  /// Takes the last returned record back, so that ``next()`` returns it again unless it finds a cause of it.
  ///
  /// Nothing may have been read in between.
  func putBack() { isOldestSpent = false }

  /// Finds the events that were appended before the waiting ones were read.
  private func findCauses() {
    checkedStamp = stamp
    // A cause may be in a segment that is not known yet.
    if listed.mayBeOutdated(at: place.lastChange) {
      _ = scan()
      return
    }
    live.removeAll(where: \.progress.isOver)
    for reader in live where reader.head == nil && !reader.progress.isBlocked {
      let position = reader.position
      reader.checkForMore { problems.append($0) }
      if reader.head == nil, reader.position != position { exhausted.append(reader) }
      note(reader)
    }
  }

  /// Reads on after the last returned record.
  ///
  /// It is called only when the next record is needed, so that it does not delay the returned one.
  private func readOn() {
    guard isOldestSpent else { return }
    isOldestSpent = false
    let reader = waiting.removeLast()
    // The end that the last read has reached is known, unless a cause of another reader's head may follow it.
    advance(reader, mayHaveGrown: !waiting.isEmpty)
  }

  /// Returns the positions of the producers that were read to their end since the last call.
  func takeExhausted() -> [(producer: UUID, position: LogPosition)] {
    defer { exhausted.removeAll(keepingCapacity: true) }
    // A reader that has a head again was read beyond the records that have been returned. The position of a producer
    // without segments may have been forgotten.
    return exhausted.filter { $0.head == nil && $0.hasSegments }.map { ($0.producer, $0.position) }
  }

  /// Returns the problems that were found since the last call.
  func takeProblems() -> [AppGroupsLogError] {
    defer { problems = [] }
    return problems
  }
}

extension [ProducerReader] {
  /// Returns the index at which to insert a reader, if the heads are ordered by their times, the oldest last.
  fileprivate func partition(by time: UInt64) -> Int {
    var (start, end) = (0, count)
    while start < end {
      let middle = (start + end) / 2
      if let other = self[middle].head, other.time > time { start = middle + 1 } else { end = middle }
    }
    return start
  }
}
