import Foundation
import Signals

/// Keeps one key bound to the lease of the process, and stores it again if the lease was lost.
final class Membership: Sendable {
  /// A key that this process stores, or has tried to store.
  private struct Attempt: Sendable {
    let key: Data
    let lease: Int64
    /// The marker that each attempt demands and writes, as the removal does, so that a late attempt has no effect.
    var marker: Marker
  }

  private struct State {
    var value: Data
    /// The key with the current lease; it is set before the key is sent.
    var attempt: Attempt?
    /// The lease that the key was last known to be stored with; `nil` while nothing is stored.
    var storedLease: Int64?
    var isWithdrawn = false
    var storing: Task<Void, Never>?
    var tokens: [SignalSubscription] = []

    /// Ends the membership, and returns the key to remove.
    mutating func withdraw() -> Attempt? {
      isWithdrawn = true
      storing.take()?.cancel()
      storedLease = nil
      return attempt.take()
    }
  }

  private let core: RangeCore
  private let number: UInt64
  private let state: Guarded<State>

  /// The key while it is stored and its lease is valid.
  let key = MutableProperty<Data?>(nil)

  private var connection: ClusterConnection { core.cluster.connection }

  init(in core: RangeCore, value: Data) {
    self.core = core
    number = UInt64.random(in: 0 ... .max)
    state = Guarded(State(value: value))
  }

  deinit {
    if let attempt = state.withLock({ $0.withdraw() }) { _ = Self.removal(of: attempt, from: core) }
  }

  /// Stores the key, and keeps it stored until ``withdraw()``.
  ///
  /// If it throws, nothing stays stored.
  func announce() async throws(ClusterError) {
    let holding = connection.session.hold()
    state.withLock { $0.tokens.append(holding) }
    do throws(ClusterError) {
      try await store()
    } catch {
      end()
      throw error
    }
    let following = connection.session.current.sink { [weak self] lease in self?.sessionChanged(to: lease?.id) }
    state.withLock { $0.tokens.append(following) }
  }

  /// Replaces the value of the key.
  func write(_ value: Data) async throws(ClusterError) {
    state.withLock { $0.value = value }
    try await store()
  }

  /// Removes the key, and waits for the first attempt unless the task is cancelled.
  ///
  /// The removal is repeated in the background until it has succeeded, or until the lease is over.
  func withdraw() async {
    let removal = end()
    if !Task.isCancelled { _ = await removal?.value }
  }

  @discardableResult
  private func end() -> Task<Bool, Never>? {
    let (attempt, tokens, staged) = state.withLock { state in
      defer { state.tokens = [] }
      return (state.withdraw(), state.tokens, key.stage(nil))
    }
    withExtendedLifetime(tokens) {}
    staged.send()
    return attempt.map { Self.removal(of: $0, from: core) }
  }

  /// Stores the key with the current lease.
  ///
  /// If the key was stored in the meantime, this stores the newest value again.
  ///
  /// - Throws: An error if the key cannot be stored before the deadline.
  private func store() async throws(ClusterError) {
    let session = connection.session
    var limit: ContinuousClock.Instant?
    while true {
      let lease = try await session.lease()
      // The first lease has a deadline of its own.
      let end = limit ?? .now + connection.options.deadline
      limit = end
      guard let (attempt, value) = next(with: lease) else { return }
      let era = core.cluster.watch.era
      let response: TransactionResponse
      do throws(ClusterError) {
        response = try await connection.client.transaction(request(attempt, value), for: core.place, before: end)
      } catch {
        if error.isAboutLease { session.lose(lease.id) }
        throw error
      }
      if response.succeeded { return didStore(attempt, response, era) }
      // Another call, or an attempt of this one whose answer was lost, has written the marker.
      let found = response.results.first?.first?.modRevision ?? 0
      guard found != attempt.marker.revision else {
        throw connection.client.error(.unexpected(connection.client.endpoint, status: 200), key: core.place)
      }
      // The marker disappeared with its lease.
      if found == 0 { session.lose(lease.id) }
      learn(found, of: attempt.marker)
      guard .now < end else { throw .timedOut(key: core.place, after: connection.options.deadline) }
    }
  }

  /// Returns the key to store with a lease, and its value; `nil` if the membership is withdrawn.
  private func next(with lease: ClusterSession.Lease) -> (Attempt, Data)? {
    state.withLock { state -> (Attempt, Data)? in
      guard !state.isWithdrawn else { return nil }
      if let known = state.attempt, known.lease == lease.id { return (known, state.value) }
      let name = Data("\(hex(UInt64(bitPattern: lease.id)))-\(hex(number))".utf8)
      let attempt = Attempt(key: core.key(of: name), lease: lease.id, marker: connection.session.marker(of: lease))
      state.attempt = attempt
      return (attempt, state.value)
    }
  }

  /// Returns the transaction that stores the key, and writes the marker so that earlier attempts have no effect.
  private func request(_ attempt: Attempt, _ value: Data) -> TransactionRequest {
    let marker = attempt.marker
    // All members that came earlier must be known before this one: the first of them leads.
    let all = RangeRequest(key: core.prefix, rangeEnd: Namespace.end(of: core.prefix))
    return TransactionRequest(
      compare: [marker.isUnchanged],
      success: [
        .put(attempt.key, value: value, lease: attempt.lease),
        .put(marker.key, value: Marker.Purpose.change.content, lease: attempt.lease), .range(all),
      ],
      failure: [.range(RangeRequest(key: marker.key))])
  }

  /// Records the revision of the marker, unless another call has recorded one in the meantime.
  private func learn(_ revision: Int64, of marker: Marker) {
    state.withLock { state in
      if state.attempt?.marker == marker { state.attempt?.marker.revision = revision }
    }
  }

  private func didStore(_ attempt: Attempt, _ response: TransactionResponse, _ era: Int) {
    let lease = attempt.lease
    learn(response.header.revision, of: attempt.marker)
    let isWanted = state.withLock { state in
      guard !state.isWithdrawn else { return false }
      state.storedLease = lease
      return true
    }
    guard isWanted else { return }
    core.replace(with: response.results.last ?? [], at: response.header.revision, era: era)
    // It may have been withdrawn, or stored with another lease, since this was known to be stored.
    let staged = state.withLock { $0.storedLease == lease ? key.stage(attempt.key) : nil }
    staged?.send()
    if !connection.session.isCurrent(lease) { sessionChanged(to: nil) }
  }

  private func hex(_ number: UInt64) -> String { String(number, radix: 16) }

  private func sessionChanged(to lease: Int64?) {
    let staged = state.withLock { state -> StagedValue<Data?>? in
      guard !state.isWithdrawn, let stored = state.storedLease, stored != lease else { return nil }
      state.storedLease = nil
      state.storing?.cancel()
      state.storing = Task { [weak self, backoff = connection.options.backoff] in
        var pauses = backoff.pauses()
        while let self, !Task.isCancelled {
          do throws(ClusterError) {
            return try await self.store()
          } catch {
            guard await pause(pauses.next() ?? .seconds(5)) else { return }
          }
        }
      }
      return key.stage(nil)
    }
    staged?.send()
  }

  // MARK: Removing

  /// Removes a key in tasks of its own, which the caller's cancellation does not reach.
  ///
  /// - Returns: The first attempt. Others follow if it fails, until the lease is over, and with it the key.
  private static func removal(of attempt: Attempt, from core: RangeCore) -> Task<Bool, Never> {
    let first = Task { await remove(attempt, from: core) }
    Task {
      guard await !first.value else { return }
      var pauses = core.cluster.connection.options.backoff.pauses()
      while core.cluster.connection.session.isCurrent(attempt.lease) {
        await pause(pauses.next() ?? .seconds(5))
        if await remove(attempt, from: core) { return }
      }
    }
    return first
  }

  /// Removes a key, and prevents all earlier attempts to store it.
  ///
  /// - Returns: `true` if the key is gone.
  private static func remove(_ attempt: Attempt, from core: RangeCore) async -> Bool {
    let connection = core.cluster.connection
    var marker = attempt.marker
    let settled = Operation.put(marker.key, value: Marker.Purpose.settling.content, lease: attempt.lease)
    do throws(ClusterError) {
      while true {
        let era = core.cluster.watch.era
        let request = TransactionRequest(
          compare: [marker.isUnchanged], success: [.delete(attempt.key), settled],
          failure: [.range(RangeRequest(key: marker.key))])
        let response = try await connection.client.transaction(request, for: core.place)
        if response.succeeded {
          marker.revision = response.header.revision
        } else {
          let found = response.results.first?.first
          // The answer contradicts itself.
          guard found?.modRevision ?? 0 != marker.revision else { return false }
          marker.revision = found?.modRevision ?? 0
          // An attempt to store the key came first.
          if let found, Marker.Purpose(found.value) == .change { continue }
          // An earlier call, whose answer was lost, has removed it, or it disappeared with its lease.
        }
        connection.session.giveBack(marker)
        core.adopt(.delete(attempt.key), response.header.revision, era: era)
        return true
      }
    } catch {
      // The key disappears with its lease.
      return error.isAboutLease
    }
  }
}

extension ClusterError {
  /// A Boolean value that indicates whether the cluster does not know the lease any more.
  fileprivate var isAboutLease: Bool {
    guard case .refused(_, let code, let message) = self else { return false }
    return EtcdFailure(code: code, message: message).isAboutLease
  }
}
