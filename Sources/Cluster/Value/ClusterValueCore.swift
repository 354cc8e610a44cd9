import Foundation
import Signals

/// Keeps a value in memory in step with its key.
///
/// States of the key arrive from the watch, from reads, and from the changes of this process, on any thread. Only a
/// state with a larger revision counts, so the value never returns to an older one.
final class ClusterValueCore<Value: Codable & Sendable>: RangeFollower {
  let name: String
  let key: Data
  let initialValue: Value
  let cluster: EtcdCluster

  let value: MutableProperty<Value>
  /// The relation of the value to the key, as long as the connection is current.
  let status = MutableProperty(SharedValueStatus<ClusterError>.connecting)
  let failures: FailureRelay<ClusterError>

  private struct Memory {
    /// The newest known state of the key.
    var known: KeyState?
    /// The bytes that the value was decoded from or encoded as.
    var good: Data?
    /// The revision of the value in the cache, until the cluster has shown whether it still counts.
    var floor: Int64?
    var isConfirming = false
    /// The newest state that was older than the floor, until the majority has shown whether it counts.
    var early: KeyState?
    /// A Boolean value that indicates whether the initial value is stored if the first state is that nothing is.
    var isToBeCreated = false
    /// The number of times that revisions have begun anew, each of which lets a value replace any in the cache.
    var era = 0

    /// A Boolean value that indicates whether the key is known to be missing.
    var isMissing: Bool { if case .absent = known { true } else { false } }

    /// Returns whether a state is newer than the known one.
    func isNews(_ state: KeyState) -> Bool {
      guard let known else { return true }
      return state.revision > known.revision
    }
  }

  private let memory = Guarded(Memory())
  private let registration = Guarded<SignalSubscription?>(nil)

  /// Writes values to a cache; the second argument is the number of times that revisions have begun anew.
  typealias Keep = @Sendable (ClusterRecord<Value>, Int) -> Void
  private let keep: Keep?

  init(
    name: String, initialValue: Value, cluster: EtcdCluster, record: ClusterRecord<Value>? = nil, keep: Keep? = nil
  ) {
    self.name = name
    failures = FailureRelay(of: "ClusterValue", name)
    self.initialValue = initialValue
    self.cluster = cluster
    self.keep = keep
    key = cluster.watch.namespace.key(name)
    let first = record?.value ?? initialValue
    value = MutableProperty(first)
    // The same content is not sent again when the cluster answers.
    let data = ValueCoding.bytes(of: first)
    memory.withLock { ($0.floor, $0.good) = (record?.revision, data) }
    let following = cluster.watch.follow(.key(key), with: self)
    registration.withLock { $0 = following }
  }

  /// The name of the key for errors.
  var place: String { "\(cluster.watch.namespace.name)/\(name)" }

  /// The newest known state of the key; `nil` before the first one, and while the connection is not current.
  var current: KeyState? {
    cluster.watch.status.value == .current ? memory.withLock { $0.known } : nil
  }

  /// A Boolean value that indicates whether the key is known to be missing.
  var isMissing: Bool { memory.withLock { $0.isMissing } }

  // MARK: Following

  func receive(_ events: [WatchEvent]) {
    if let event = events.last { receive(KeyState(event), era: nil) }
  }

  func replace(with entries: [EtcdEntry], at revision: Int64, era: Int) {
    receive(KeyState(entries.first, at: revision), era: era)
  }

  private func receive(_ state: KeyState, era: Int?) {
    let isEarly = memory.withLock { memory in
      guard memory.known == nil, state.revision < memory.floor ?? 0 else { return false }
      if state.revision > memory.early?.revision ?? 0 { memory.early = state }
      return true
    }
    if isEarly { return confirm() }
    use(state, era: era)
  }

  private func use(_ state: KeyState, era: Int?) {
    // The same bytes are not decoded again.
    if conclude(state, nil, nil, era) { return }
    guard case .present(let data, _) = state else { return }
    do throws(ClusterError) {
      conclude(state, try ValueCoding.decode(Value.self, from: data, key: place), nil, era)
    } catch {
      conclude(state, nil, error, era)
    }
  }

  /// Applies a state that this process has just stored, unless the era in which the change began is over.
  func adopt(_ newValue: Value, _ state: KeyState, _ era: Int) {
    conclude(state, newValue, nil, era)
    // Other objects with the same key.
    cluster.watch.apply(state, to: key, era: era)
  }

  /// Stores the initial value as soon as the cluster has shown that nothing is stored.
  func createWhenMissing() {
    let isMissing = memory.withLock { memory in
      if memory.known == nil { memory.isToBeCreated = true }
      return memory.isMissing
    }
    if isMissing { createSoon() }
  }

  /// Returns whether no one asks the majority yet.
  func beginConfirming() -> Bool {
    memory.withLock { memory in
      defer { memory.isConfirming = true }
      return !memory.isConfirming
    }
  }

  /// Applies the state that the majority knows, although it may be older than the value of the cache.
  func confirm(_ state: KeyState, era: Int) {
    let early = memory.withLock { memory in
      memory.isConfirming = false
      return memory.early.take()
    }
    use(state, era: era)
    // A change that arrived before the answer may be newer than it.
    if let early { use(early, era: era) }
  }

  func beginEra() {
    memory.withLock { ($0.known, $0.floor, $0.early, $0.era) = (nil, nil, nil, $0.era + 1) }
  }

  func fail(_ error: ClusterError) {
    let staged = memory.withLock { memory in
      memory.known == nil ? status.stage(.stale(error, after: status.value)) : nil
    }
    guard let staged else { return }
    staged.send()
    failures.send(error)
  }

  /// Stores a state in memory, unless a newer one is known or its era is over, and sends the changes.
  ///
  /// - Returns: `false` if nothing was done, because the content has to be decoded first.
  @discardableResult
  private func conclude(_ state: KeyState, _ newValue: Value?, _ error: ClusterError?, _ era: Int?) -> Bool {
    let staged = memory.withLock { memory -> Staged? in
      // The era is compared under the lock, because a new one is counted first, and then takes the lock to begin here.
      guard memory.isNews(state), era == nil || era == cluster.watch.era else { return nil }
      var staged = Staged()
      if newValue == nil, error == nil, case .present(let data, _) = state, data != memory.good {
        staged.isUndecoded = true
        return staged
      }
      memory.known = state
      // A state that was confirmed, or stored by this process, is older only if the revisions have begun anew.
      if memory.isToBeCreated, case .absent = state { staged.isMissing = true }
      memory.isToBeCreated = false
      if let floor = memory.floor.take(), state.revision < floor { memory.era += 1 }
      if let newValue, case .present(let data, _) = state, data != memory.good {
        memory.good = data
        staged.value = value.stage(newValue)
      }
      let next: SharedValueStatus<ClusterError> =
        if let error { .stale(error, after: status.value) } else if case .absent = state { .missing } else { .current }
      if next != status.value { staged.status = status.stage(next) }
      if keep != nil, error == nil, case .present(_, let revision) = state {
        staged.record = ClusterRecord(newValue ?? value.value, at: revision)
        staged.era = memory.era
      }
      return staged
    }
    guard let staged else { return true }
    if staged.isUndecoded { return false }
    staged.value?.send()
    staged.status?.send()
    if let record = staged.record { keep?(record, staged.era) }
    if staged.isMissing { createSoon() }
    if let error { failures.send(error) }
    return true
  }

  /// Values that will be sent when no lock is held; the value first, so that the status never precedes it.
  private struct Staged {
    var value: StagedValue<Value>?
    var status: StagedValue<SharedValueStatus<ClusterError>>?
    /// The value for the cache, and the number of times that revisions had begun anew.
    var record: ClusterRecord<Value>?
    var era = 0
    /// A Boolean value that indicates whether the content has to be decoded first; nothing else is set then.
    var isUndecoded = false
    /// A Boolean value that indicates whether the initial value has to be stored.
    var isMissing = false
  }
}

/// The relation of the first state to the value that a cache had.
extension ClusterValueCore {
  /// Asks the majority for the state of the key, because another one was older than the value of the cache.
  ///
  /// It was late, or the cluster was restored from a backup.
  func confirm() {
    guard beginConfirming() else { return }
    let client = cluster.connection.client
    Task { [weak self, client, key, place] in
      var pauses = client.options.backoff.pauses()
      while true {
        guard let era = self?.cluster.watch.era else { return }
        do throws(ClusterError) {
          let response = try await client.read(.range, RangeRequest(key: key), for: place)
          self?.confirm(KeyState(response.entries.first, at: response.header.revision), era: era)
          return
        } catch {
          guard let self else { return }
          fail(error)
        }
        await pause(pauses.next() ?? .seconds(5))
      }
    }
  }
}
