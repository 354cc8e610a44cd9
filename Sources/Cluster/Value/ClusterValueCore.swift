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
    /// A Boolean value that indicates whether the initial value is stored if the first state is that nothing is.
    var isToBeCreated = false
    /// A Boolean value that indicates whether the next value replaces any in the cache.
    var hasBegunAnew = false

    /// Returns whether a state is newer than the known one.
    func isNews(_ state: KeyState) -> Bool {
      guard let known else { return true }
      return state.revision > known.revision
    }
  }

  private let memory = Guarded(Memory())
  private let registration = Guarded<SignalSubscription?>(nil)

  /// Writes values to a cache; the second argument says whether a newer one there is replaced.
  typealias Keep = @Sendable (ClusterRecord<Value>, Bool) -> Void
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

  // MARK: Following

  func receive(_ events: [WatchEvent]) {
    if let event = events.last { receive(KeyState(event)) }
  }

  func replace(with entries: [EtcdEntry], at revision: Int64) {
    receive(KeyState(entries.first, at: revision))
  }

  private func receive(_ state: KeyState) {
    if memory.withLock({ $0.known == nil && state.revision < $0.floor ?? 0 }) { return confirm() }
    use(state)
  }

  private func use(_ state: KeyState) {
    guard let good = memory.withLock({ $0.isNews(state) ? .some($0.good) : nil }) else { return }
    guard case .present(let data, _) = state else { return conclude(state, nil, nil) }
    // The same bytes are not decoded again.
    if data == good { return conclude(state, nil, nil) }
    do throws(ClusterError) {
      conclude(state, try ValueCoding.decode(Value.self, from: data, key: place), nil)
    } catch {
      conclude(state, nil, error)
    }
  }

  /// Applies a state whose value this process has just stored.
  func adopt(_ newValue: Value, _ state: KeyState) {
    conclude(state, newValue, nil)
  }

  /// Stores the initial value as soon as the cluster has shown that nothing is stored.
  func createWhenMissing() {
    let isMissing = memory.withLock { memory in
      if memory.known == nil { memory.isToBeCreated = true }
      return if case .absent = memory.known { true } else { false }
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
  func confirm(_ state: KeyState) {
    memory.withLock { $0.isConfirming = false }
    use(state)
  }

  func beginEra() {
    memory.withLock { ($0.known, $0.floor, $0.hasBegunAnew) = (nil, nil, true) }
  }

  func fail(_ error: ClusterError) {
    guard memory.withLock({ $0.known == nil }) else { return }
    status.value = .stale(error, after: status.value)
    failures.send(error)
  }

  /// Stores a state in memory, unless a newer one is known, and sends the changes.
  private func conclude(_ state: KeyState, _ newValue: Value?, _ error: ClusterError?) {
    let staged = memory.withLock { memory -> Staged? in
      guard memory.isNews(state) else { return nil }
      memory.known = state
      var staged = Staged()
      // A state that was confirmed, or stored by this process, is older only if the revisions have begun anew.
      if memory.isToBeCreated, case .absent = state { staged.isMissing = true }
      memory.isToBeCreated = false
      if let floor = memory.floor.take(), state.revision < floor { memory.hasBegunAnew = true }
      if let newValue, case .present(let data, _) = state, data != memory.good {
        memory.good = data
        staged.value = value.stage(newValue)
      }
      let next: SharedValueStatus<ClusterError> =
        if let error { .stale(error, after: status.value) } else if case .absent = state { .missing } else { .current }
      if next != status.value { staged.status = status.stage(next) }
      if keep != nil, error == nil, case .present(_, let revision) = state {
        staged.record = ClusterRecord(newValue ?? value.value, at: revision)
        staged.isForced = memory.hasBegunAnew
        memory.hasBegunAnew = false
      }
      return staged
    }
    staged?.value?.send()
    staged?.status?.send()
    if let record = staged?.record { keep?(record, staged?.isForced == true) }
    if staged?.isMissing == true { createSoon() }
    if staged != nil, let error { failures.send(error) }
  }

  /// Values that will be sent when no lock is held; the value first, so that the status never precedes it.
  private struct Staged {
    var value: StagedValue<Value>?
    var status: StagedValue<SharedValueStatus<ClusterError>>?
    /// The value for the cache.
    var record: ClusterRecord<Value>?
    var isForced = false
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
        do throws(ClusterError) {
          let response = try await client.read(.range, RangeRequest(key: key), for: place)
          self?.confirm(KeyState(response.entries.first, at: response.header.revision))
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
