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
