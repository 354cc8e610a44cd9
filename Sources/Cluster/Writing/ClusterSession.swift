import Foundation
import Signals

/// The lease of a connection.
///
/// Its keys disappear soon after the process has ended or lost the cluster.
///
/// The lease is requested when it is first needed, renewed while it is in use, and given up when it is not.
final class ClusterSession: Sendable {
  /// A granted lease, and the number of markers that belong to it.
  struct Lease: Sendable, Hashable {
    let id: Int64
    /// The instant after which the lease may have expired, unless it is renewed.
    var end: ContinuousClock.Instant
  }

  private struct State {
    var lease: Lease?
    var flight: Task<Result<Lease, ClusterError>, Never>?
    var renewing: Task<Void, Never>?
    var lastUse = ContinuousClock.now
    /// The number of objects that need the lease all the time.
    var holders = 0
    /// The markers of the lease that no change uses, and the number of all.
    var idleMarkers: [Marker] = []
    var markerCount = 0
  }

  private let client: EtcdClient
  /// The beginning of the keys of markers.
  private let prefix: String
  private let state = Guarded(State())

  /// The current lease; `nil` if there is none, or if it was lost.
  let current = MutableProperty<Lease?>(nil)

  init(client: EtcdClient, prefix: String) {
    self.client = client
    self.prefix = prefix
  }

  deinit {
    let (renewing, lease) = state.withLock { ($0.renewing.take(), $0.lease) }
    renewing?.cancel()
    guard let lease else { return }
    // Otherwise presence would last until the lease expires.
    Task { [client] in await Self.end(lease.id, client) }
  }

  private static func end(_ id: Int64, _ client: EtcdClient) async {
    do throws(CallFailure) {
      let _: EmptyResponse = try await client.attempt(
        .endLease, LeaseRequest(id: id), at: client.endpoint, for: client.options.attemptTime)
    } catch {
      // The lease expires by itself.
    }
  }

  // MARK: The lease

  /// Returns the lease, or requests one.
  func lease() async throws(ClusterError) -> Lease {
    let flight = state.withLock { state -> Task<Result<Lease, ClusterError>, Never>? in
      state.lastUse = .now
      if let lease = state.lease, lease.end > .now { return nil }
      if let flight = state.flight { return flight }
      let flight = Task { await self.grant() }
      state.flight = flight
      return flight
    }
    if let flight { return try await flight.value.get() }
    // Lost in between at worst, which the caller finds out.
    return state.withLock { $0.lease } ?? Lease(id: 0, end: .now)
  }

  private func grant() async -> Result<Lease, ClusterError> {
    let time = client.options.sessionTime
    let begun = ContinuousClock.now
    let result: Result<Lease, ClusterError>
    do throws(ClusterError) {
      let response = try await client.read(
        .grantLease, LeaseGrantRequest(seconds: Int64(time.inSeconds.rounded(.up))), for: prefix)
      result = .success(Lease(id: response.id, end: begun + time))
    } catch {
      result = .failure(error)
    }
    var lease: Lease?
    if case .success(let granted) = result { lease = granted }
    state.withLock { state in
      state.flight = nil
      guard let lease else { return }
      state.lease = lease
      (state.idleMarkers, state.markerCount) = ([], 0)
      state.renewing?.cancel()
      state.renewing = Task { [weak self] in
        while await pause(time / 3), let self { if await !self.renew(lease.id) { return } }
      }
    }
    if let lease { current.value = lease }
    return result
  }

  /// Renews the lease, or gives it up if nothing needs it.
  ///
  /// - Returns: `false` if it is over.
  private func renew(_ id: Int64) async -> Bool {
    let time = client.options.sessionTime
    let isNeeded = state.withLock { $0.holders > 0 || $0.lastUse + time > .now }
    if !isNeeded {
      lose(id)
      await Self.end(id, client)
      return false
    }
    let begun = ContinuousClock.now
    // A lease that has expired must not be taken for a valid one while its renewal is tried.
    let end = min(begun + client.options.deadline, state.withLock { $0.lease?.end } ?? begun)
    do throws(ClusterError) {
      let answer = try await client.read(.renewLease, LeaseRequest(id: id), for: prefix, before: end)
      guard let response = answer.result, response.seconds > 0 else {
        lose(id)
        return false
      }
      state.withLock { state in
        if state.lease?.id == id { state.lease?.end = begun + time }
      }
    } catch {
      // The next attempt follows, unless the lease expires before it.
      if state.withLock({ ($0.lease?.end ?? .now) <= .now }) {
        lose(id)
        return false
      }
    }
    return true
  }

  /// Forgets a lease that has expired.
  func lose(_ id: Int64) {
    let isLost = state.withLock { state in
      guard state.lease?.id == id else { return false }
      state.lease = nil
      state.renewing = nil
      state.idleMarkers = []
      return true
    }
    if isLost, current.value?.id == id { current.value = nil }
  }

  /// Keeps the lease in use until the token is released.
  func hold() -> SignalSubscription {
    state.withLock { $0.holders += 1 }
    return SignalSubscription { [weak self] in self?.state.withLock { $0.holders -= 1 } }
  }

  // MARK: Markers

  /// Returns a marker of a lease that no other change uses.
  func marker(of lease: Lease) -> Marker {
    state.withLock { state in
      if state.lease?.id == lease.id, let marker = state.idleMarkers.popLast() { return marker }
      state.markerCount += 1
      let name = "\(prefix)~!session/\(String(UInt64(bitPattern: lease.id), radix: 16))/\(state.markerCount)"
      return Marker(key: Data(name.utf8), lease: lease.id, revision: 0)
    }
  }

  /// Makes a marker available to later changes.
  func giveBack(_ marker: Marker) {
    state.withLock { state in
      if state.lease?.id == marker.lease { state.idleMarkers.append(marker) }
    }
  }
}
