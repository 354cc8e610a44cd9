import Foundation
import Signals

/// Keeps one key bound to the lease of the process, and stores it again if the lease was lost.
final class Membership: Sendable {
  /// A key that this process stores, or has tried to store.
  private struct Attempt: Sendable {
    let key: Data
    let lease: Int64
    /// The marker that each attempt demands and the removal changes, so that a late attempt has no effect.
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
    let (attempt, tokens) = state.withLock { state in
      defer { state.tokens = [] }
      return (state.withdraw(), state.tokens)
    }
    withExtendedLifetime(tokens) {}
    key.value = nil
    return attempt.map { Self.removal(of: $0, from: core) }
  }

  /// Stores the key with the current lease.
  private func store() async throws(ClusterError) {
    let session = connection.session
    let lease = try await session.lease()
    let name = Data("\(hex(UInt64(bitPattern: lease.id)))-\(hex(number))".utf8)
    let next = state.withLock { state -> (attempt: Attempt, value: Data)? in
      guard !state.isWithdrawn else { return nil }
      let attempt: Attempt
      if let known = state.attempt, known.lease == lease.id {
        attempt = known
      } else {
        attempt = Attempt(key: core.key(of: name), lease: lease.id, marker: session.marker(of: lease))
        state.attempt = attempt
      }
      return (attempt, state.value)
    }
    guard let (attempt, value) = next else { return }
    // Repeating it has no further effect, because no one else writes the key.
    // All members that came earlier must be known before this one: the first of them leads.
    let all = RangeRequest(key: core.prefix, rangeEnd: Namespace.end(of: core.prefix))
    let request = TransactionRequest(
      compare: [attempt.marker.isUnchanged],
      success: [.put(attempt.key, value: value, lease: lease.id), .range(all)])
    let response: TransactionResponse
    do throws(ClusterError) {
      response = try await connection.client.read(.transaction, request, for: core.place)
    } catch {
      if error.isAboutLease { session.lose(lease.id) }
      throw error
    }
    let isWanted = state.withLock { state in
      guard response.succeeded, !state.isWithdrawn else { return false }
      state.storedLease = lease.id
      return true
    }
    guard isWanted else { return }
    core.replace(with: response.results.last ?? [], at: response.header.revision)
    key.value = attempt.key
    // It may have been withdrawn, or its lease may have been lost, before this was known to be stored.
    if state.withLock({ $0.storedLease != lease.id }) { key.value = nil }
    if !session.isCurrent(lease.id) { sessionChanged(to: nil) }
  }

  private func hex(_ number: UInt64) -> String { String(number, radix: 16) }

  private func sessionChanged(to lease: Int64?) {
    let isLost = state.withLock { state in
      guard !state.isWithdrawn, let stored = state.storedLease, stored != lease else { return false }
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
      return true
    }
    if isLost { key.value = nil }
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
    var marker = attempt.marker
    let settled = Operation.put(marker.key, value: Marker.Purpose.settling.content, lease: attempt.lease)
    let request = TransactionRequest(
      compare: [marker.isUnchanged], success: [.delete(attempt.key), settled],
      failure: [.range(RangeRequest(key: marker.key))])
    let connection = core.cluster.connection
    do throws(ClusterError) {
      let response: TransactionResponse = try await connection.client.read(.transaction, request, for: core.place)
      // Otherwise an earlier call, whose answer was lost, has removed it.
      let found = response.results.first?.first?.modRevision ?? 0
      marker.revision = response.succeeded ? response.header.revision : found
      connection.session.giveBack(marker)
      core.adopt(.delete(attempt.key), response.header.revision)
      return true
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
