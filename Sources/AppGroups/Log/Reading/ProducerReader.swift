import CLibrary
import FileSignals
import Foundation
import Signals

/// Reads the events of one producer, segment after segment.
///
/// ``ProducerProgress`` decides, and this opens the files.
final class ProducerReader {
  private let place: LogPlace
  private(set) var progress: ProducerProgress
  private var reader: SegmentReader?
  /// The record to be delivered next.
  private(set) var head: LogRecord?

  // What a ``ProducerMerge`` knows of the reader.

  /// A Boolean value that indicates whether the reader is in the list of readers with an open file.
  var isCounted = false
  /// A Boolean value that indicates whether the last listing contained a segment of the producer.
  var hasSegments = true
  /// The number of the last read of any reader when the head was read.
  var stamp: UInt64 = 0

  init(_ producer: UUID, in place: LogPlace, from position: LogPosition, upTo limit: LogPosition? = nil) {
    self.place = place
    progress = ProducerProgress(producer, from: position, upTo: limit)
  }

  var producer: UUID { progress.producer }

  /// The position after the last record that was read or skipped.
  var position: LogPosition { progress.position }

  /// Updates the list of existing segments.
  func update(_ segments: [UInt64]) { progress.update(segments) }

  /// A Boolean value that indicates whether no segment is left, so that the producer's position may be forgotten.
  var isGone: Bool { progress.segments.isEmpty && head == nil }

  /// A Boolean value that indicates whether a file is open.
  var isOpen: Bool { reader != nil }

  /// A Boolean value that indicates whether the open file will not grow any more, because no process writes it.
  var isFinal: Bool { reader?.isAbandoned ?? false }

  /// Closes the file, which is opened again when there is more to read.
  func close() {
    reader = nil
  }

  /// Records that the open file may have grown since its end was reached.
  func noteGrowth() { reader?.noteGrowth() }

  /// Reads on until there is a head, or until there is nothing more to read.
  ///
  /// - Parameters:
  ///   - isCheck: A Boolean value that indicates whether to ignore the beginning of a record, without any doubt.
  ///   - mayHaveGrown: A Boolean value that indicates whether to read again if the end of the file was reached.
  ///   - report: Receives each error.
  func advance(isCheck: Bool = false, mayHaveGrown: Bool = true, report: (AppGroupsLogError) -> Void) {
    head = nil
    if mayHaveGrown { noteGrowth() }
    progress.begin()
    while !progress.isAtLimit, let reader = reader ?? open(report) {
      let index = reader.id.index
      let step = reader.next(progress.stage(of: index))
      let action = progress.take(
        step, of: index, at: reader.url, isCheck: isCheck, isUnwritten: { reader.isAbandoned }, report)
      switch action {
      case .deliver(let record):
        head = record
        return
      case .readOn: continue
      case .leave: close()
      case .fail: return close()
      case .wait: return
      }
    }
  }

  /// Opens the segment to continue in, if one exists.
  private func open(_ report: (AppGroupsLogError) -> Void) -> SegmentReader? {
    while let index = progress.segment {
      do throws(AppGroupsLogError) {
        let opened = try SegmentReader(SegmentID(producer: producer, index: index), in: place, from: position)
        progress.enter(index, firstSequence: opened.firstSequence, report)
        reader = opened
        return opened
      } catch {
        guard progress.pass(index, because: error, report) else { return nil }
      }
    }
    progress.noteEnd()
    return nil
  }

  // MARK: Causes

  /// Returns a Boolean value that indicates whether the file was read for the head since the last call.
  func takeFreshness() -> Bool { reader.map { exchange(&$0.hasRead, with: false) } ?? false }

  /// Reads on if the file has grown since its end was reached.
  ///
  /// Of a producer that has ended, this finds out sooner or later.
  ///
  /// - Parameter report: Receives each error.
  func checkForMore(report: (AppGroupsLogError) -> Void) {
    if hasGrown { advance(isCheck: true, report: report) }
    guard progress.noteCheck(hasFound: head != nil), isAbandoned else { return }
    // Its last events may have been appended after the check.
    if hasGrown { advance(isCheck: true, report: report) }
    if head == nil { progress.noteProducerEnd() }
  }

  /// A Boolean value that indicates whether there may be more to read.
  private var hasGrown: Bool {
    if isOpen { return true }
    guard let index = progress.segment else { return false }
    if index > position.segment { return true }
    let path = place.path(of: SegmentID(producer: producer, index: index))
    guard let status = FileStatus.ifReadable(path: path, relativeTo: place.base, followsLinks: false) else {
      // Reading it gives the reason, unless it was removed.
      return errno != ENOENT && errno != ENOTDIR
    }
    return UInt64(status.size) > position.offset
  }

  /// A Boolean value that indicates whether no process writes the last known segment.
  private var isAbandoned: Bool {
    if let reader { return reader.isAbandoned }
    guard let last = progress.segments.last else { return true }
    let id = SegmentID(producer: producer, index: last)
    return FileLock(place.path(of: id), in: place.base, .reading, of: place.url(of: id))?.isAbandoned ?? false
  }
}
