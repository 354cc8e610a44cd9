import Foundation
import Signals

/// Makes changes exactly once, although connections break.
final class Committer: Sendable {
  /// The outcome of a change that was decided.
  enum Outcome: Sendable {
    /// The change was made at a revision.
    case made(Int64)
    /// A comparison failed; these are the entries of the keys to read, and the revision at which they were read.
    case conflict([EtcdEntry?], Int64)
  }

  /// A change of one or more keys.
  struct Change: Sendable {
    /// The name for errors.
    var name: String
    var compare: [Comparison] = []
    var operations: [Operation]
    /// The keys to read if a comparison fails.
    var keys: [Data] = []
  }

  private let client: EtcdClient
  private let session: ClusterSession

  init(client: EtcdClient, session: ClusterSession) {
    self.client = client
    self.session = session
  }

  /// Makes a change, before `end`.
  func commit(_ change: Change, before end: ContinuousClock.Instant) async throws(ClusterError) -> Outcome {
    while true {
      let lease = try await session.lease()
      let marker = session.marker(of: lease)
      if let outcome = try await commit(change, with: marker, before: end) { return outcome }
      session.lose(lease.id)
      guard .now < end else { throw .timedOut(key: change.name, after: client.options.deadline) }
    }
  }

  /// Makes a change with a marker; returns `nil` if another lease is needed.
  private func commit(
    _ change: Change, with marker: Marker, before end: ContinuousClock.Instant
  ) async throws(ClusterError) -> Outcome? {
    var marker = marker
    var machine = CommitMachine(marker: marker.revision)
    var pauses = EndpointPauses(client.options.backoff, endpoints: client.endpoints.count)
    var last = Attempt()
    // The state of the keys when a comparison failed, for the time after settling.
    var found: Outcome?
    var step = CommitMachine.Step.send
    while true {
      switch step {
      case .send, .settle:
        guard await wait(last.failure == nil ? .zero : pauses.next(), before: end) else {
          step = machine.handle(.late)
          continue
        }
        last = await attempt(change, marker, isSettling: machine.isSettling, before: end)
        if case .refused = last.answer { found = last.outcome }
        step = machine.handle(last.answer)
      case .renew: return nil
      case .finish(let revision):
        marker.revision = machine.marker
        session.giveBack(marker)
        return .made(revision)
      case .conflict:
        marker.revision = machine.marker
        session.giveBack(marker)
        return found ?? .conflict(change.keys.map { _ in nil }, 0)
      case .give:
        if marker.revision == machine.marker { session.giveBack(marker) }
        throw error(last.failure, change)
      case .uncertain:
        throw .uncertain(key: change.name, reason: last.failure?.reason ?? "the session with the cluster was lost")
      }
    }
  }

  /// Waits, and returns `false` if the time would be over.
  private func wait(_ time: Duration, before end: ContinuousClock.Instant) async -> Bool {
    guard .now + time < end else { return false }
    if time > .zero { await pause(time) }
    return true
  }

  private func error(_ failure: CallFailure?, _ change: Change) -> ClusterError {
    guard let failure else { return .timedOut(key: change.name, after: client.options.deadline) }
    if case .refused(_, let refusal) = failure, refusal.isTooLarge {
      let size = change.operations.reduce(0) { $0 + $1.size }
      return .valueTooLarge(key: change.name, size: size, limit: client.options.maximumValueSize)
    }
    return client.error(failure, key: change.name)
  }

  // MARK: One attempt

  private struct Attempt: Sendable {
    var answer = CommitMachine.Answer.unsent
    var outcome: Outcome?
    var failure: CallFailure?
  }

  private func attempt(
    _ change: Change, _ marker: Marker, isSettling: Bool, before end: ContinuousClock.Instant
  ) async -> Attempt {
    let purpose: Marker.Purpose = isSettling ? .settling : .change
    let put = Operation.put(marker.key, value: purpose.content, lease: marker.lease)
    let reads = ([marker.key] + change.keys).map { Operation.range(RangeRequest(key: $0)) }
    let request = TransactionRequest(
      compare: [marker.isUnchanged] + (isSettling ? [] : change.compare),
      success: isSettling ? [put] : change.operations + [put],
      failure: reads)
    let endpoint = client.endpoint
    do throws(CallFailure) {
      let time = min(client.options.attemptTime, ContinuousClock.now.duration(to: end))
      let response = try await client.attempt(.transaction, request, at: endpoint, for: time)
      guard response.isComplete(for: request) else { throw CallFailure.unexpected(endpoint, status: 200) }
      if response.succeeded { return Attempt(answer: .written(response.header.revision)) }
      let found = response.results.first?.first
      let entries = response.results.dropFirst().map(\.first)
      return Attempt(
        answer: .refused(marker: found?.modRevision ?? 0, by: Marker.Purpose(found?.value ?? Data())),
        outcome: .conflict(Array(entries), response.header.revision))
    } catch {
      if error.mayPass || !error.isWithoutEffect { client.rotate(from: endpoint) }
      return Attempt(answer: answer(error), failure: error)
    }
  }

  private func answer(_ failure: CallFailure) -> CommitMachine.Answer {
    if case .refused(_, let refusal) = failure, refusal.isAboutLease { return .leaseLost }
    // This includes an answer that cannot be understood: the marker shows whether the change was made.
    if !failure.isWithoutEffect { return .unanswered }
    return failure.mayPass ? .unsent : .impossible
  }
}

extension Operation {
  /// The number of bytes that the operation stores.
  fileprivate var size: Int {
    if case .put(_, let value, _) = self { value.count } else { 0 }
  }
}

/// A key that each change of this process also writes, so that the process can learn whether the change was made.
///
/// A change demands that the marker has the known revision. A repeated change therefore takes effect once at most.
struct Marker: Sendable, Hashable {
  let key: Data

  /// The lease that the key is bound to.
  let lease: Int64

  /// The revision of the last change; 0 if there was none.
  var revision: Int64

  /// The condition that no one has written the marker since its revision was learned.
  var isUnchanged: Comparison { Comparison(key: key, modRevision: revision) }

  /// The reason why the marker was written.
  enum Purpose: Sendable, Hashable {
    /// The change was made in the same transaction.
    case change
    /// Earlier attempts to make the change were prevented.
    case settling

    /// The content of the marker.
    var content: Data { self == .change ? Data() : Data("settled".utf8) }

    /// Creates the purpose that a content shows.
    init(_ content: Data) {
      self = content.isEmpty ? .change : .settling
    }
  }
}
