import Foundation
import Signals

/// Keeps one key bound to the lease of the process, and stores it again if the lease was lost.
final class Membership: Sendable {
  private struct State {
    var value: Data
    /// The stored key and the lease that it is bound to; `nil` while nothing is stored.
    var stored: (key: Data, lease: Int64)?
    var isWithdrawn = false
    var storing: Task<Void, Never>?
    var tokens: [SignalSubscription] = []
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
    let (stored, storing) = state.withLock { ($0.stored, $0.storing.take()) }
    storing?.cancel()
    guard let stored else { return }
    Task { [core] in await Self.remove(stored.key, from: core) }
  }

  /// Stores the key, and keeps it stored until ``withdraw()``.
  func announce() async throws(ClusterError) {
    let holding = connection.session.hold()
    state.withLock { $0.tokens.append(holding) }
    try await store()
    let following = connection.session.current.sink { [weak self] lease in self?.sessionChanged(to: lease?.id) }
    state.withLock { $0.tokens.append(following) }
  }

  /// Replaces the value of the key.
  func write(_ value: Data) async throws(ClusterError) {
    state.withLock { $0.value = value }
    try await store()
  }

  /// Removes the key.
  func withdraw() async {
    let (stored, storing, tokens) = state.withLock { state in
      state.isWithdrawn = true
      defer { (state.stored, state.tokens) = (nil, []) }
      return (state.stored, state.storing.take(), state.tokens)
    }
    storing?.cancel()
    withExtendedLifetime(tokens) {}
    key.value = nil
    if let stored { await Self.remove(stored.key, from: core) }
  }

  /// Stores the key with the current lease.
  private func store() async throws(ClusterError) {
    let lease = try await connection.session.lease()
    let value = state.withLock { $0.value }
    let name = Data("\(hex(UInt64(bitPattern: lease.id)))-\(hex(number))".utf8)
    let key = core.key(of: name)
    // Repeating it has no further effect, because no one else writes the key.
    // All members that came earlier must be known before this one: the first of them leads.
    let all = RangeRequest(key: core.prefix, rangeEnd: Namespace.end(of: core.prefix))
    let request = TransactionRequest(success: [.put(key, value: value, lease: lease.id), .range(all)])
    let response: TransactionResponse
    do throws(ClusterError) {
      response = try await connection.client.read(.transaction, request, for: core.place)
    } catch {
      if case .refused(_, let code, let message) = error, EtcdFailure(code: code, message: message).isAboutLease {
        connection.session.lose(lease.id)
      }
      throw error
    }
    let isWanted = state.withLock { state in
      if !state.isWithdrawn { state.stored = (key, lease.id) }
      return !state.isWithdrawn
    }
    guard isWanted else { return await Self.remove(key, from: core) }
    core.replace(with: response.results.last ?? [], at: response.header.revision)
    self.key.value = key
  }

  private func hex(_ number: UInt64) -> String { String(number, radix: 16) }

  private func sessionChanged(to lease: Int64?) {
    let isLost = state.withLock { state in
      guard !state.isWithdrawn, let stored = state.stored, stored.lease != lease else { return false }
      state.stored = nil
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

  private static func remove(_ key: Data, from core: RangeCore) async {
    do throws(ClusterError) {
      let response: TransactionResponse = try await core.cluster.connection.client.read(
        .transaction, TransactionRequest(success: [.delete(key)]), for: core.place)
      core.adopt(.delete(key), response.header.revision)
    } catch {
      // The key disappears with its lease.
    }
  }
}
