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
    /// Forgets the lease when it may have expired.
    var alarm: Task<Void, Never>?
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
    let (tasks, lease) = state.withLock { ([$0.renewing.take(), $0.alarm.take()], $0.lease) }
    for task in tasks { task?.cancel() }
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
    // Both are read at once: a lease that is lost in between must not become a key without one, which would stay.
    switch state.withLock({ state in
      state.lastUse = .now
      if let lease = state.lease, lease.end > .now { return Source.known(lease) }
      let flight = state.flight ?? Task { await self.grant() }
      state.flight = flight
      return .flight(flight)
    }) {
    case .known(let lease): return lease
    case .flight(let flight): return try await flight.value.get()
    }
  }

  /// A lease, or the request for one.
  private enum Source {
    case known(Lease)
    case flight(Task<Result<Lease, ClusterError>, Never>)
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
    let staged = state.withLock { state -> StagedValue<Lease?>? in
      state.flight = nil
      guard let lease else { return nil }
      state.lease = lease
      // The count goes on, because a change that began before may still ask for a marker of its own lease.
      state.idleMarkers = []
      state.renewing?.cancel()
      state.renewing = Task { [weak self] in
        while await pause(time / 3), let self { if await !self.renew(lease.id) { return } }
      }
      state.alarm?.cancel()
      state.alarm = Task { [weak self] in
        while let end = self?.end(of: lease.id), await pause(ContinuousClock.now.duration(to: end)) {
          if self?.isOver(lease.id) != false { return }
        }
      }
      // Under the lock, so that the loss of an earlier lease is not announced after this one.
      return current.stage(lease)
    }
    staged?.send()
    return result
  }

  /// The instant after which a lease may have expired; `nil` if it is not the current one.
  private func end(of id: Int64) -> ContinuousClock.Instant? {
    state.withLock { $0.lease?.id == id ? $0.lease?.end : nil }
  }

  /// Returns whether a lease is the current one, so that its keys may still exist.
  func isCurrent(_ id: Int64) -> Bool { end(of: id) != nil }

  /// Returns whether a lease is over, and forgets one that was not renewed in time.
  ///
  /// Another process may have what the keys of such a lease stood for.
  private func isOver(_ id: Int64) -> Bool {
    guard let end = end(of: id) else { return true }
    guard end <= .now else { return false }
    // A renewal in flight may still reach the cluster.
    giveUp(id)
    return true
  }

  /// Forgets a lease, and ends it in a task of its own, because the calling one may be cancelled.
  private func giveUp(_ id: Int64) {
    lose(id)
    Task { [client] in await Self.end(id, client) }
  }

  /// Renews the lease, or gives it up if nothing needs it.
  ///
  /// - Returns: `false` if it is over.
  private func renew(_ id: Int64) async -> Bool {
    guard isCurrent(id) else { return false }
    let time = client.options.sessionTime
    let isNeeded = state.withLock { $0.holders > 0 || $0.lastUse + time > .now }
    if !isNeeded {
      giveUp(id)
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
    }
    return !isOver(id)
  }

  /// Forgets a lease that has expired.
  func lose(_ id: Int64) {
    let staged = state.withLock { state -> StagedValue<Lease?>? in
      guard state.lease?.id == id else { return nil }
      state.lease = nil
      // Nothing renews a lease that no one uses: its keys would never disappear.
      for task in [state.renewing.take(), state.alarm.take()] { task?.cancel() }
      state.idleMarkers = []
      return current.stage(nil)
    }
    staged?.send()
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
