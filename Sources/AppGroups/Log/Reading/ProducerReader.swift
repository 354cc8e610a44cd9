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
  private var segments: [UInt64] = []
  private var reader: SegmentReader?
  private var doubts = 0
  /// Why the segment to go on in cannot be opened.
  private var obstacle: AppGroupsLogError?

  /// How often a damaged record at the end is looked at again, since it could be in the making.
  private static let maximumDoubts = 3

  init(_ producer: UUID, in place: LogPlace, from position: LogPosition) {
    self.producer = producer
    self.place = place
    self.position = position
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
  var isInDoubt: Bool { doubts > 0 }

  /// Whether no event tells when there is more to read.
  var isBlocked: Bool { obstacle?.mayPassUnseen ?? false }

  /// Closes the file, which is opened again when there is more to read.
  func close() {
    reader = nil
  }

  /// Reads on until there is a head, or nothing more.
  ///
  /// - Parameter report: Called with what could not be read.
  func advance(report: (AppGroupsLogError) -> Void) {
    head = nil
    while true {
      guard let reader = reader ?? open(report) else { return }
      switch reader.next() {
      case .record(let record):
        doubts = 0
        position.offset = record.end
        // A copy of an older segment has nothing new.
        guard record.sequence > position.sequence else { continue }
        position.sequence = record.sequence
        position.isBroken = false
        head = record
        return
      case .end:
        // A later segment was listed before this one was read to its end, so nothing more can come here.
        guard let next = segments.first(where: { $0 > reader.id.index }) else { return }
        leave(for: next)
      case .damaged(let offset, let reason):
        let next = segments.first { $0 > reader.id.index }
        if next == nil, doubts < Self.maximumDoubts {
          doubts += 1
          reader.reread()
          return
        }
        report(.damaged(reader.url, offset: offset, reason: reason))
        position.isBroken = true
        leave(for: next ?? reader.id.index + 1)
      }
    }
  }

  private func leave(for next: UInt64) {
    reader = nil
    doubts = 0
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
      } catch .damaged(let url, let offset, let reason) {
        report(.damaged(url, offset: offset, reason: reason))
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
    position.segment = reader.id.index
    position.offset = UInt64(SegmentHeader.size)
  }
}
