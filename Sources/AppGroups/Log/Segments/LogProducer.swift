import FileSignals
import Foundation
import Signals

/// What one process appends to one log: all of its log objects and threads share it.
///
/// A producer has segments that nobody else writes, so it needs no lock between processes. Its identity is new each
/// time, also for a process that was forked, so no segment is ever continued by another. In a scope, it is new after
/// each swap, so that the numbers of the events in one environment have no gap.
final class LogProducer: Sendable {
  let clock: LogClock
  let location: LogLocation
  private let writing: Guarded<Writing>

  private init(_ location: LogLocation) {
    self.location = location
    let clock = LogClock()
    self.clock = clock
    writing = Guarded(Writing(clock, swapCount: location.swapCount ?? 0))
  }

  /// Who this process is in the log.
  var id: UUID {
    let swapCount = location.swapCount
    return writing.withLock { writing in
      writing.checkIdentity(at: swapCount)
      return writing.identity
    }
  }

  /// Returns a Boolean value that indicates whether a producer is, or was, this process.
  func isThisProcess(_ producer: UUID) -> Bool {
    writing.withLock { writing in
      writing.checkIdentity(at: nil)
      return writing.identity == producer || writing.formerIdentities.contains(producer)
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

  // MARK: One for each log

  private struct Entry {
    weak let producer: LogProducer?
  }

  private struct Key: Hashable {
    let path: ExactString
    let scope: ObjectIdentifier?
    let policy: ScopePolicy
  }

  private static let registry = Guarded<[Key: Entry]>([:])

  /// This process's producer for a log that has one directory.
  static func shared(for place: LogPlace) -> LogProducer {
    shared(Key(path: ExactString(place.url.path), scope: nil, policy: .follows), at: LogLocation(place))
  }

  /// This process's producer for a log in a root whose contents may be swapped.
  static func shared(name: String, scope: Scope, policy: ScopePolicy) throws(AppGroupsLogError) -> LogProducer {
    let location = try LogLocation(name: name, scope: scope, policy: policy)
    return shared(Key(path: ExactString(location.url.path), scope: scope.identity, policy: policy), at: location)
  }

  private static func shared(_ key: Key, at location: @autoclosure () -> LogLocation) -> LogProducer {
    registry.withLock { registry in
      // One that was closed by a swap is not opened again.
      if let producer = registry[key]?.producer, !producer.location.isClosed { return producer }
      registry = registry.filter { $0.value.producer != nil }
      let producer = LogProducer(location())
      registry[key] = Entry(producer: producer)
      return producer
    }
  }
}
