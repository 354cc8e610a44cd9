import Foundation

/// Reads what one producer has appended, segment after segment.
final class ProducerReader {
  let producer: UUID
  /// Where the log goes on after the last record that was read or passed over.
  private(set) var position: LogPosition
  /// The record to be delivered next.
  private(set) var head: LogRecord?
  /// Whether it is among those that may have something to read.
  var isListed = false
  /// Whether it is among those that have a file open.
  var isCounted = false
  private let place: LogPlace
  /// Where to stop, if the segments are not read as far as they go.
  private let limit: LogPosition?
  private var segments: [UInt64] = []
  private var reader: SegmentReader?
  /// How often what comes next was found to be doubtful, and how large the segment was then.
  private var doubts = (count: 0, size: UInt64(0))
  /// Why the segment to go on in cannot be opened.
  private var obstacle: AppGroupsLogError?

  /// How often a doubtful record at the end is looked at again, since it could be in the making.
  private static let maximumDoubts = 3

  init(_ producer: UUID, in place: LogPlace, from position: LogPosition, upTo limit: LogPosition? = nil) {
    self.producer = producer
    self.place = place
    self.position = position
    self.limit = limit
  }

  /// Takes note of which segments there are.
  func update(_ segments: [UInt64]) {
    self.segments = segments.filter { $0 >= position.segment }
  }

  /// Whether no segment is left, so that nothing is lost by forgetting the producer's place.
  var isGone: Bool { segments.isEmpty && head == nil }

  /// Whether a file is open.
  var isOpen: Bool { reader != nil }

  /// Whether the file that is open will not grow any more, because nobody writes it.
  var isFinal: Bool { reader?.isAbandoned ?? false }

  /// Whether what was read last should be looked at again soon.
  var isInDoubt: Bool { (1..<Self.maximumDoubts).contains(doubts.count) }

  /// Whether no event tells when there is more to read: no file changes when the one that was writing dies.
  var isBlocked: Bool { doubts.count >= Self.maximumDoubts || obstacle?.mayPassUnseen ?? false }

  /// Closes the file, which is opened again when there is more to read.
  func close() {
    reader = nil
  }

  /// Reads on until there is a head, or nothing more.
  ///
  /// - Parameter report: Called with what could not be read.
  func advance(report: (AppGroupsLogError) -> Void) {
    head = nil
    var isAbandoned = false
    while !isAtLimit {
      guard let reader = reader ?? open(report) else { return }
      // A later segment was listed before this one was read to its end, so nothing more can come here.
      let next = segments.first { $0 > reader.id.index }
      let step = reader.next(next != nil || isAbandoned ? .sealed : stage)
      if case .doubtful = step {} else { doubts.count = 0 }
      switch step {
      case .record(let record):
        position.offset = record.end
        // A copy of an older segment has nothing new.
        guard record.sequence > position.sequence else { continue }
        position.sequence = record.sequence
        position.isBroken = false
        head = record
        return
      case .end:
        guard let next else { return }
        leave(for: next)
      case .doubtful(let size):
        // First whether there is a writer, and then what there is: it may have written its last in between.
        isAbandoned = reader.isAbandoned
        if isAbandoned { continue }
        doubts = size == doubts.size ? (doubts.count + 1, size) : (1, size)
        return
      case .damaged(let damage):
        if !position.isBroken { report(.damaged(reader.url, damage)) }
        position.isBroken = !damage.isPassed
        if damage.isPassed {
          position.offset = reader.offset
          position.sequence = max(position.sequence, reader.nextSequence - 1)
        } else if next != nil || isAbandoned {
          leave(for: next ?? reader.id.index + 1)
        } else {
          // While the producer lives, its next event shows where the segment goes on.
          isAbandoned = reader.isAbandoned
          if !isAbandoned { return }
        }
      }
    }
  }

  /// Whether everything before the limit was read, and damage there was reported.
  private var isAtLimit: Bool {
    guard let limit, !limit.isAfter(position) else { return false }
    return position.isAfter(limit) || !limit.isBroken || position.isBroken
  }

  /// Reports the events before the limit that were removed while the others were read.
  func reportMissingEnd(report: (AppGroupsLogError) -> Void) {
    guard let limit, limit.sequence > position.sequence, !position.isBroken, obstacle == nil else { return }
    report(.missing(producer: producer, after: position.sequence, before: limit.sequence + 1))
  }

  /// How far the writing of the last segment is.
  private var stage: SegmentReader.Stage {
    // What lies before a limit was read before.
    if limit != nil { return .settled }
    // Damage that was reported is looked at for what follows it, and nothing else.
    return position.isBroken || doubts.count >= Self.maximumDoubts ? .settled : .growing
  }

  private func leave(for next: UInt64) {
    reader = nil
    doubts.count = 0
    position.segment = next
    position.offset = 0
    segments.removeAll { $0 < next }
  }

  /// Opens the segment to go on in, if there is one.
  private func open(_ report: (AppGroupsLogError) -> Void) -> SegmentReader? {
    let known = obstacle.take()
    while let index = segments.first(where: { $0 >= position.segment }) {
      let id = SegmentID(producer: producer, index: index)
      do throws(AppGroupsLogError) {
        let opened = try SegmentReader(id, in: place, from: position)
        if index != position.segment || position.offset == 0 { enter(opened, report) }
        reader = opened
        return opened
      } catch let error where error.isAboutNothingThere {
        // Trimmed, or removed by hand; what comes next tells whether anything is missing.
        segments.removeAll { $0 == index }
      } catch .damaged(let url, let bytes, let lostEvents, let reason) {
        report(.damaged(url, bytes: bytes, lostEvents: lostEvents, reason: reason))
        position.isBroken = true
        leave(for: index + 1)
      } catch {
        // It may be made readable; until then it is in the way, and said to be so once.
        if error != known { report(error) }
        obstacle = error
        return nil
      }
    }
    return nil
  }

  /// Begins with a segment, and tells if events before it are missing.
  private func enter(_ reader: SegmentReader, _ report: (AppGroupsLogError) -> Void) {
    if position != .beginning, !position.isBroken, reader.firstSequence > position.sequence + 1 {
      report(.missing(producer: producer, after: position.sequence, before: reader.firstSequence))
    }
    // What comes before it is given up, or had never to be read.
    position = LogPosition(
      segment: reader.id.index, offset: UInt64(SegmentHeader.size),
      sequence: max(position.sequence, reader.firstSequence - 1))
  }
}
