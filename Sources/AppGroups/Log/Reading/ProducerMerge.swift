import Foundation

/// Merges what all producers have appended: of each in order, and of those that wait at the same time the oldest first.
///
/// ``LogReader`` guards it.
final class ProducerMerge {
  private let place: LogPlace
  /// Whether only the producers that are known from the beginning are read.
  private let isLimited: Bool
  private var producers: [UUID: ProducerReader] = [:]
  private var names: [String: ProducerReader] = [:]
  private(set) var tails: Set<String> = []
  /// Those with a head, the oldest first, as a heap.
  private var waiting: [ProducerReader] = []
  /// The problems that are not reported yet.
  private var problems: [AppGroupsLogError] = []
  /// Whether the head of the first of them has been given out, so that it must read on before it is looked at again.
  private var isFirstSpent = false

  /// Those that have a file open, the one that has had it for longest first.
  private var open: [ProducerReader] = []
  /// Those that have been read to their end since it was asked for last.
  private var exhausted: [ProducerReader] = []
  /// Those that found something that may have been in the making.
  private var doubtful: [ProducerReader] = []
  /// Those whose next segment cannot be opened at the moment.
  private var blocked: Set<UUID> = []
  /// Why the segments cannot be listed.
  private var obstacle: AppGroupsLogError?

  /// How many files may be open at a time.
  private static let openLimit = 32
  /// How many producers without a segment are remembered, in case they come back.
  private static let goneLimit = 1024

  init(_ place: LogPlace, from positions: [UUID: LogPosition]) {
    self.place = place
    isLimited = false
    for (producer, position) in positions {
      producers[producer] = ProducerReader(producer, in: place, from: position)
    }
  }

  /// Reads everything that there is up to some positions, once.
  init(_ place: LogPlace, upTo limits: [UUID: LogPosition]) {
    self.place = place
    isLimited = true
    for (producer, limit) in limits {
      producers[producer] = ProducerReader(producer, in: place, from: .beginning, upTo: limit)
    }
  }

  /// Finds out which events were removed since the limits were set.
  func checkEnds() {
    for reader in producers.values { reader.reportMissingEnd { problems.append($0) } }
  }

  func scan() -> Set<UUID> {
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
    for (producer, indices) in segments where !isLimited || producers[producer] != nil {
      let reader = producers[producer] ?? ProducerReader(producer, in: place, from: .beginning)
      producers[producer] = reader
      reader.update(indices)
      for index in indices { names[SegmentID(producer: producer, index: index).fileName] = reader }
      if let last = indices.last { tails.insert(SegmentID(producer: producer, index: last).fileName) }
      look(at: reader)
    }
    var goneCount = 0
    for (producer, reader) in producers where segments[producer] == nil {
      reader.update([])
      // It may still be open, and have more.
      let isFinal = reader.isFinal
      look(at: reader)
      if isFinal, reader.head == nil { close(reader) }
      goneCount += 1
      if goneCount > Self.goneLimit, reader.isGone { producers[producer] = nil }
    }
    return Set(segments.keys)
  }

  func look(atSegment name: String) -> Bool {
    guard let reader = names[name] else { return SegmentID(fileName: name) == nil }
    look(at: reader)
    return true
  }

  func lookAgain() {
    let readers = doubtful
    doubtful = []
    for reader in readers { look(at: reader) }
  }

  var isInDoubt: Bool { !doubtful.isEmpty }

  var isBlocked: Bool { !blocked.isEmpty || obstacle?.mayPassUnseen == true }

  private func look(at reader: ProducerReader) {
    readOn()
    guard !reader.isListed else { return }
    advance(reader)
    if reader.head != nil { push(reader) }
  }

  private func advance(_ reader: ProducerReader) {
    reader.advance { problems.append($0) }
    if reader.head == nil { exhausted.append(reader) }
    if reader.isInDoubt { doubtful.append(reader) }
    if reader.isBlocked {
      blocked.insert(reader.producer)
    } else if !blocked.isEmpty {
      blocked.remove(reader.producer)
    }
    guard reader.isOpen, !reader.isCounted else { return }
    reader.isCounted = true
    open.append(reader)
    guard open.count > Self.openLimit else { return }
    // It goes on where it was when its turn comes.
    let oldest = open.removeFirst()
    oldest.isCounted = false
    oldest.close()
  }

  /// Closes the file of a reader: one that was removed keeps its space for as long as anybody has it open.
  private func close(_ reader: ProducerReader) {
    open.removeAll { $0 === reader }
    reader.isCounted = false
    reader.close()
  }

  func next() -> (producer: UUID, record: LogRecord, position: LogPosition)? {
    readOn()
    guard let reader = waiting.first, let record = reader.head else { return nil }
    isFirstSpent = true
    return (reader.producer, record, reader.position)
  }

  /// Reads on after the record that was given out last: no earlier, so that the record does not wait for that.
  private func readOn() {
    guard isFirstSpent else { return }
    isFirstSpent = false
    let reader = waiting[0]
    advance(reader)
    if reader.head == nil {
      pop()
    } else {
      siftDown(from: 0)
    }
  }

  func takeExhausted() -> [(producer: UUID, position: LogPosition)] {
    defer { exhausted.removeAll(keepingCapacity: true) }
    // One that has a head again was read beyond what has been given out.
    return exhausted.filter { $0.head == nil }.map { ($0.producer, $0.position) }
  }

  /// Returns the problems that were found since the last call.
  func takeProblems() -> [AppGroupsLogError] {
    defer { problems = [] }
    return problems
  }

  // MARK: The heap

  private func push(_ reader: ProducerReader) {
    reader.isListed = true
    waiting.append(reader)
    var child = waiting.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.precedes(waiting[child], waiting[parent]) else { return }
      waiting.swapAt(child, parent)
      child = parent
    }
  }

  private func pop() {
    waiting[0].isListed = false
    let last = waiting.removeLast()
    guard !waiting.isEmpty else { return }
    waiting[0] = last
    siftDown(from: 0)
  }

  private func siftDown(from index: Int) {
    var parent = index
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < waiting.count && Self.precedes(waiting[child], waiting[least]) {
        least = child
      }
      guard least != parent else { return }
      waiting.swapAt(parent, least)
      parent = least
    }
  }

  private static func precedes(_ left: ProducerReader, _ right: ProducerReader) -> Bool {
    guard let first = left.head, let second = right.head else { return false }
    return first.time < second.time
  }
}
