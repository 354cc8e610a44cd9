import Foundation
import Signals

/// Reading and changing the stored value.
extension ClusterValueCore {
  private var client: EtcdClient { cluster.connection.client }

  private func encoded(_ value: Value) throws(ClusterError) -> Data {
    try ValueCoding.encode(value, key: place, limit: client.options.maximumValueSize)
  }

  /// Reads the state of the key from the majority of the members.
  func readState(before end: ContinuousClock.Instant? = nil) async throws(ClusterError) -> KeyState {
    let era = cluster.watch.era
    let response = try await client.read(.range, RangeRequest(key: key), for: place, before: end)
    let state = KeyState(response.entries.first, at: response.header.revision)
    cluster.watch.apply(state, to: key, era: era)
    return state
  }

  /// Returns the value in a state, or the initial value if there is none.
  private func value(in state: KeyState) throws(ClusterError) -> Value {
    switch state {
    case .absent: initialValue
    case .present(let data, _): try ValueCoding.decode(Value.self, from: data, key: place)
    }
  }

  func read() async throws(ClusterError) -> Value {
    let state = try await readState()
    if case .absent = state { throw .missing(key: place) }
    return try value(in: state)
  }

  // MARK: Changes

  /// Makes a change that does not depend on the stored value; a missing value is created.
  func write(_ newValue: Value) async throws {
    let data = try encoded(newValue)
    let era = cluster.watch.era
    let outcome = try await commit(.init(name: place, operations: [.put(key, value: data)]))
    if case .made(let revision) = outcome { adopt(newValue, .present(data, revision), era) }
  }

  func delete() async throws {
    let era = cluster.watch.era
    let outcome = try await commit(.init(name: place, operations: [.delete(key)]))
    if case .made(let revision) = outcome { cluster.watch.apply(.absent(revision), to: key, era: era) }
  }

  /// Stores the initial value if nothing is stored.
  func create() async throws {
    let data = try encoded(initialValue)
    let era = cluster.watch.era
    let outcome = try await commit(
      .init(
        name: place, compare: [Comparison(key: key, modRevision: 0)], operations: [.put(key, value: data)],
        keys: [key]))
    switch outcome {
    case .made(let revision): adopt(initialValue, .present(data, revision), era)
    case .conflict(let entries, let revision):
      cluster.watch.apply(KeyState(entries[0], at: revision), to: key, era: era)
    }
  }

  /// Does the same without a caller that waits, and repeats it while the key is missing, unless the user may not.
  func createSoon() {
    Task { [weak self, backoff = client.options.backoff] in
      var pauses = backoff.pauses()
      while await self?.createOnce() == false { await pause(pauses.next() ?? .seconds(5)) }
    }
  }

  /// Tries to store the initial value while the key is missing.
  ///
  /// - Returns: `false` if another attempt is needed.
  private func createOnce() async -> Bool {
    guard isMissing else { return true }
    do {
      try await create()
      return true
    } catch let error as ClusterError {
      switch error {
      // The same would happen again.
      case .unencodable, .valueTooLarge, .forbidden, .unauthenticated: return true
      default: return false
      }
    } catch {
      return false
    }
  }

  func update<Result: Sendable>(
    overwriting: Bool, _ body: @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    let end = ContinuousClock.now + client.options.deadline
    var base: KeyState
    if let current { base = current } else { base = try await readState(before: end) }
    var conflicts = 0
    while true {
      let era = cluster.watch.era
      var newValue: Value
      do throws(ClusterError) {
        newValue = try value(in: base)
      } catch {
        guard overwriting else { throw error }
        newValue = value.value
      }
      let result = try body(&newValue)
      let data = try encoded(newValue)
      let outcome = try await commit(change(from: base, to: data), before: end)
      switch outcome {
      case .made(let revision):
        if !base.has(data) { adopt(newValue, .present(data, revision), era) }
        return result
      case .conflict(let entries, let revision):
        base = KeyState(entries[0], at: revision)
        cluster.watch.apply(base, to: key, era: era)
      }
      conflicts += 1
      guard .now < end else { throw ClusterError.timedOut(key: place, after: client.options.deadline) }
      // Many writers that repeat at once would delay each other.
      if conflicts > 3 { await pause(.milliseconds(Int.random(in: 0...min(conflicts, 20)))) }
    }
  }

  /// Returns the compare-and-swap from one state to other content.
  private func change(from base: KeyState, to data: Data) -> Committer.Change {
    // Content that stays the same is compared, but not written.
    .init(
      name: place, compare: [Comparison(key: key, modRevision: base.storedRevision)],
      operations: base.has(data) ? [] : [.put(key, value: data)], keys: [key])
  }

  /// Makes a change, which the cancellation of the task does not interrupt once it has begun.
  private func commit(
    _ change: Committer.Change, before end: ContinuousClock.Instant? = nil
  ) async throws -> Committer.Outcome {
    try Task.checkCancellation()
    let end = end ?? .now + client.options.deadline
    let committer = cluster.connection.committer
    return try await Task { () async throws(ClusterError) in try await committer.commit(change, before: end) }.value
  }
}

extension KeyState {
  /// Returns whether the key has this content.
  fileprivate func has(_ data: Data) -> Bool {
    if case .present(data, _) = self { true } else { false }
  }
}
