import FileSignals
import Foundation
import Signals

/// What one process appends to one log: all of its log objects and threads share it.
///
/// A producer has segments that nobody else writes, so it needs no lock between processes. Its identity is new each
/// time, also for a process that was forked, so no segment is ever continued by another.
final class LogProducer: Sendable {
  let clock: LogClock
  private let place: LogPlace
  private let writing: Guarded<Writing>

  private init(_ place: LogPlace) {
    self.place = place
    let clock = LogClock()
    self.clock = clock
    writing = Guarded(Writing(place, clock))
  }

  /// Who this process is in the log.
  var id: UUID {
    writing.withLock { writing in
      writing.checkProcess()
      return writing.identity
    }
  }

  /// Appends events, all in one segment, one after another.
  ///
  /// - Parameters:
  ///   - count: How many there are, one at least.
  ///   - payload: The payload of each.
  ///   - segmentSize: How large a segment may become, unless the events alone are larger.
  ///   - durability: What the events are safe against when this returns.
  /// - Returns: The producer, the first event's sequence, and whether a segment was begun.
  /// - Throws: ``AppGroupsLogError``; the first events may have been appended then.
  func append(
    _ count: Int, _ payload: @Sendable (Int) -> Data, segmentSize: Int, durability: Durability
  ) throws(AppGroupsLogError) -> (producer: UUID, first: UInt64, isNewSegment: Bool) {
    var total = 0
    for index in 0..<count {
      let payload = payload(index)
      guard payload.count <= LogRecord.maximumPayload else {
        throw .tooLarge(place.url, count: payload.count, limit: LogRecord.maximumPayload)
      }
      total += LogRecord.size(of: payload)
    }
    return try writing.withLock { writing throws(AppGroupsLogError) in
      try writing.append(count, payload, total, segmentSize: segmentSize, durability: durability)
    }
  }

  // MARK: One for each log

  private struct Entry {
    weak let producer: LogProducer?
  }

  private static let registry = Guarded<[ExactString: Entry]>([:])

  /// This process's producer for a log.
  static func shared(for place: LogPlace) -> LogProducer {
    registry.withLock { registry in
      let path = ExactString(place.url.path)
      if let producer = registry[path]?.producer { return producer }
      registry = registry.filter { $0.value.producer != nil }
      let producer = LogProducer(place)
      registry[path] = Entry(producer: producer)
      return producer
    }
  }
}
