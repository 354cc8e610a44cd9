import FileSignals
import Foundation

/// The end of a producer's events, at the moment at which it was read.
struct LogEnd {
  private(set) var position: LogPosition
  /// A time that is not before that of the last event.
  private var time: UInt64

  /// Returns the current end of each producer's log; empty if the log cannot be listed.
  static func positions(in place: LogPlace) -> [UUID: LogPosition] {
    // The error is reported when the log is read.
    tolerating(try all(in: place).compactMapValues(\.?.position), else: [:])
  }

  /// Returns the current end of each producer's log, or `nil` for a producer whose last segment cannot be read.
  static func all(in place: LogPlace) throws(AppGroupsLogError) -> [UUID: LogEnd?] {
    var ends: [UUID: LogEnd?] = [:]
    for (producer, indices) in try SegmentListing.segments(in: place) {
      guard let last = indices.last else { continue }
      ends[producer] = .some(LogEnd(of: SegmentID(producer: producer, index: last), in: place))
    }
    return ends
  }

  /// Returns an end for each producer, such that every event before an end has all of its causes before the ends, too.
  ///
  /// The ends are read one after another. An event may have been appended to a log that was read already, and then its
  /// effect to a log that is read later. So the logs are read again until they contain no more events that may be causes
  /// of events before the ends. Such a cause has an earlier date than its effect, and was appended before the effect
  /// was read.
  ///
  /// - Parameters:
  ///   - ends: The ends that were read one after another.
  ///   - place: The log.
  /// - Returns: The positions; the end of the last segment for a producer whose last segment cannot be read.
  /// - Throws: ``AppGroupsLogError`` if the segments cannot be listed.
  static func consistent(
    _ ends: [UUID: LogEnd?], in place: LogPlace
  ) throws(AppGroupsLogError) -> [UUID: LogPosition] {
    var ends = ends
    var latest = ends.values.reduce(0) { max($0, $1?.time ?? 0) }
    while latest > 0 {
      var found: UInt64 = 0
      let starts = ends.compactMapValues { $0?.position.segment }
      for (producer, indices) in try SegmentListing.completeSegments(in: place, after: starts) {
        // Nothing is known of an end that cannot be read.
        if let end = ends[producer], end == nil { continue }
        var end = ends[producer].flatMap { $0 }
        if let end, end.isCurrent(of: producer, indices, in: place) { continue }
        let reader = ProducerReader(producer, in: place, from: end?.position ?? .beginning)
        reader.update(indices)
        reader.advance { _ in }
        while let head = reader.head, head.time < latest {
          end = LogEnd(position: reader.position, time: head.time)
          found = max(found, head.time)
          reader.advance { _ in }
        }
        if let end { ends[producer] = .some(end) }
      }
      // Only causes of the events that were just found may still be missing.
      latest = found
    }
    return ends.mapValues { $0?.position ?? .end }
  }

  private init(position: LogPosition, time: UInt64) {
    (self.position, self.time) = (position, time)
  }

  /// Reads the end of a segment, or returns `nil` if that fails.
  private init?(of id: SegmentID, in place: LogPlace) {
    do throws(AppGroupsLogError) {
      let reader = try SegmentReader(id, in: place, from: .beginning)
      position = LogPosition(segment: id.index, offset: 0, sequence: reader.firstSequence - 1)
      // The header has whole seconds.
      time = reader.time + 1_000_000_000
      var isFirst = true
      while true {
        switch reader.nextAtOnce() {
        case .record(let record):
          position.sequence = record.sequence
          time = isFirst ? record.time : max(time, record.time)
          isFirst = false
        case .damaged(let damage) where damage.next != nil: position.sequence = reader.nextSequence - 1
        case .end, .doubtful:
          position.offset = reader.offset
          return
        case .damaged:
          position.offset = reader.offset
          position.isBroken = true
          return
        case .failed: return nil
        }
      }
    } catch {
      return nil
    }
  }

  /// Returns a Boolean value that indicates whether nothing was appended after the end.
  private func isCurrent(of producer: UUID, _ indices: [UInt64], in place: LogPlace) -> Bool {
    guard !position.isBroken else { return true }
    guard let last = indices.last, last <= position.segment else { return false }
    let path = place.path(of: SegmentID(producer: producer, index: position.segment))
    let status = FileStatus.ifReadable(path: path, relativeTo: place.base, followsLinks: false)
    return status.map { UInt64($0.size) <= position.offset } ?? true
  }
}
