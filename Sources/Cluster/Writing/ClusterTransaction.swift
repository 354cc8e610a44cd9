import Foundation
import Signals

/// Changes of several values of a namespace that are made together or not at all.
///
/// <!-- not run -->
/// ```swift
/// import Cluster
/// import Foundation
///
/// let endpoints = ["http://etcd-1:2379"].compactMap { URL(string: $0) }
/// let cluster = try EtcdCluster(endpoints: endpoints, namespace: "bank")
/// let savings = try await ClusterValue.open(key: "savings", initialValue: 100, cluster: cluster)
/// let checking = try await ClusterValue.open(key: "checking", initialValue: 0, cluster: cluster)
/// try await cluster.transaction { transaction in
///   try transaction.update(savings) { $0 -= 10 }
///   try transaction.update(checking) { $0 += 10 }
/// }
/// ```
///
/// All values that a transaction reads or changes have one revision when it is made.
public struct ClusterTransaction: Sendable {
  /// A value was used whose state is not known yet.
  struct Unknown: Error {}

  /// A new content of a key, or its deletion.
  struct Write: Sendable {
    var data: Data?
    /// A closure that passes the new state on to the followers of the key.
    var adopt: @Sendable (Int64) -> Void
  }

  /// The states of the keys that the transaction depends on.
  private(set) var bases: [Data: KeyState] = [:]
  private(set) var writes: [Data: Write] = [:]

  /// The keys that have to be read before the transaction can be tried again.
  private(set) var unknown: Set<Data> = []

  private let known: [Data: KeyState]
  private let connection: ClusterConnection

  init(known: [Data: KeyState], connection: ClusterConnection) {
    (self.known, self.connection) = (known, connection)
  }

  /// Returns the value, with the changes that this transaction has made.
  ///
  /// - Parameter value: A value of the same connection.
  /// - Returns: The value; the initial value if nothing is stored.
  /// - Throws: An error that the closure of the transaction must pass on, or ``ClusterError`` if the content cannot be
  ///   decoded.
  public mutating func value<Value>(of value: ClusterValue<Value>) throws -> Value {
    let core = value.core
    guard core.cluster.connection === connection else {
      throw ClusterError.invalidNamespace(core.place, reason: "the value belongs to another connection")
    }
    if let write = writes[core.key] {
      guard let data = write.data else { return core.initialValue }
      return try ValueCoding.decode(Value.self, from: data, key: core.place)
    }
    guard let base = bases[core.key] ?? known[core.key] ?? core.current else {
      unknown.insert(core.key)
      throw Unknown()
    }
    bases[core.key] = base
    switch base {
    case .absent: return core.initialValue
    case .present(let data, _): return try ValueCoding.decode(Value.self, from: data, key: core.place)
    }
  }

  /// Replaces a value.
  ///
  /// - Parameters:
  ///   - newValue: The new value.
  ///   - value: A value of the same connection.
  /// - Throws: An error that the closure of the transaction must pass on, or ``ClusterError`` if the value cannot be
  ///   encoded.
  public mutating func write<Value>(_ newValue: Value, to value: ClusterValue<Value>) throws {
    let core = value.core
    guard core.cluster.connection === connection else {
      throw ClusterError.invalidNamespace(core.place, reason: "the value belongs to another connection")
    }
    let limit = connection.options.maximumValueSize
    let data = try ValueCoding.encode(newValue, key: core.place, limit: limit)
    let era = core.cluster.watch.era
    writes[core.key] = Write(data: data) { revision in core.adopt(newValue, .present(data, revision), era) }
  }

  /// Changes a value.
  ///
  /// - Parameters:
  ///   - value: A value of the same connection.
  ///   - body: Changes its argument.
  /// - Returns: The result of `body`.
  /// - Throws: An error that the closure of the transaction must pass on, the error of `body`, or ``ClusterError``.
  @discardableResult
  public mutating func update<Value, Result>(
    _ value: ClusterValue<Value>, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    var newValue = try self.value(of: value)
    let result = try body(&newValue)
    try write(newValue, to: value)
    return result
  }

  /// Deletes the key of a value.
  ///
  /// - Parameter value: A value of the same connection.
  public mutating func delete<Value>(_ value: ClusterValue<Value>) {
    let core = value.core
    let era = core.cluster.watch.era
    writes[core.key] = Write(data: nil) { revision in
      core.cluster.watch.apply(.absent(revision), to: core.key, era: era)
    }
  }

  /// The change that the transaction makes, and the keys to read if it conflicts.
  func change(_ name: String) -> Committer.Change {
    let keys = Array(bases.keys)
    return Committer.Change(
      name: name,
      compare: bases.map { Comparison(key: $0, modRevision: $1.storedRevision) },
      operations: writes.map { key, write in write.data.map { .put(key, value: $0) } ?? .delete(key) },
      keys: keys)
  }
}

extension EtcdCluster {
  /// Makes changes of several values together or not at all.
  ///
  /// - Parameter body: Reads and changes values through its argument. It runs again if another process has changed one
  ///   of them, and should have no side effects.
  /// - Returns: The result of the last run of `body`.
  /// - Throws: The error of `body`, ``ClusterError``, or `CancellationError` if the task was cancelled before a change
  ///   was sent. Then nothing has changed, except after ``ClusterError/uncertain(key:reason:)``.
  @discardableResult
  public func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (inout ClusterTransaction) throws -> Result
  ) async throws -> Result {
    let end = ContinuousClock.now + connection.options.deadline
    let name = watch.namespace.name
    var known: [Data: KeyState] = [:]
    while true {
      try Task.checkCancellation()
      guard .now < end else { throw ClusterError.timedOut(key: name, after: connection.options.deadline) }
      var transaction = ClusterTransaction(known: known, connection: connection)
      let outcome = Swift.Result { try body(&transaction) }
      if !transaction.unknown.isEmpty {
        let keys = transaction.unknown.union(transaction.bases.keys)
        let snapshot = try await connection.client.snapshot(of: keys.map(KeyRange.key), era: 0, in: watch.namespace)
        for key in keys {
          known[key] = KeyState(snapshot.entries[.key(key)]?.first, at: snapshot.header.revision)
        }
        continue
      }
      let result = try outcome.get()
      let change = transaction.change(name)
      let committer = connection.committer
      let commit = Task { () async throws(ClusterError) in try await committer.commit(change, before: end) }
      switch try await commit.value {
      case .made(let revision):
        // Derived values of several of them see all changes at once.
        batch { for write in transaction.writes.values { write.adopt(revision) } }
        return result
      case .conflict(let entries, let revision):
        for (key, entry) in zip(change.keys, entries) { known[key] = KeyState(entry, at: revision) }
      }
    }
  }
}
