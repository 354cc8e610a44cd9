import Foundation
public import Signals

/// Named values of a cluster that are followed together: a live dictionary with typed keys.
///
/// <!-- not run -->
/// ```swift
/// import Cluster
/// import Foundation
///
/// extension ClusterKey where Value == Bool {
///   static var isReadOnly: ClusterKey { ClusterKey("read-only", default: false) }
/// }
///
/// let endpoints = ["http://etcd-1:2379"].compactMap { URL(string: $0) }
/// let cluster = try EtcdCluster(endpoints: endpoints, namespace: "fleet")
/// let switches = ClusterSuite(name: "switches", cluster: cluster)
/// let subscription = switches.property(for: .isReadOnly).sink { print("read-only:", $0) }
/// try await switches.set(true, for: .isReadOnly)
/// ```
///
/// - **Content.** The value `read-only` of the suite `switches` in the namespace `fleet` has the key
///   `fleet/switches/read-only` and contains plain JSON.
/// - **Changes** are made exactly once, as with a ``ClusterValue``. The changes of one transaction arrive together.
/// - **Types.** A value of another type is an error of its key; the last good value stays.
/// - **Size.** All values of the suite are in memory. They are read in pages, and followed by the watch of the
///   namespace.
/// - **Threads.** All methods may be called from any thread.
public final class ClusterSuite: Signal, PropertyConvertible {
  /// All values of the suite.
  public typealias Element = ClusterContents

  /// A suite never fails; ``status`` reports errors.
  public typealias Failure = Never

  /// The name of the suite in its namespace.
  public let name: String

  /// The contents as an observable property.
  public let property: Property<ClusterContents>

  /// The relation of ``value`` to the cluster: current, connecting, or stale with the failure and its time.
  public let status: Property<SharedValueStatus<ClusterError>>

  private let core: RangeCore

  /// Follows a suite, without waiting for the cluster.
  ///
  /// - Parameters:
  ///   - name: The name of the suite; any string is allowed.
  ///   - cluster: The namespace.
  public init(name: String, cluster: EtcdCluster) {
    self.name = name
    let core = RangeCore(prefix: cluster.watch.namespace.suite(name), name: name, cluster: cluster)
    self.core = core
    property = .derived(Property(core.entries, keeping: core)) { [place = core.place] in
      ClusterContents($0, place: place)
    }
    status = core.status
  }

  /// A snapshot of all values.
  public var value: ClusterContents { property.value }

  /// Returns the value of a key as an observable property.
  ///
  /// - Parameter key: The key.
  /// - Returns: A property that changes only with this value. Content of another type leaves the last good value.
  public func property<Value>(for key: ClusterKey<Value>) -> Property<Value> {
    let follower = ClusterKeyFollower(key)
    // Two steps, so that a change of another key is not sent as one of this.
    let good = Property.derived(property) { follower.lastGood(in: $0) }
    return .derived(good) { $0.value }
  }

  /// Sets the value of a key.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` removes it.
  ///   - key: The key.
  /// - Throws: ``ClusterError``, or `CancellationError` if the task was cancelled before the change began.
  public func set<Value>(_ value: Value?, for key: ClusterKey<Value>) async throws {
    let name = Data(KeyName.encoded(key.name).utf8)
    let place = "\(core.place)/\(key.name)"
    try Task.checkCancellation()
    let options = core.cluster.connection.options
    let operation: Operation =
      if let value {
        .put(core.key(of: name), value: try ValueCoding.encode(value, key: place, limit: options.maximumValueSize))
      } else {
        .delete(core.key(of: name))
      }
    let change = Committer.Change(name: place, operations: [operation])
    let committer = core.cluster.connection.committer
    let end = ContinuousClock.now + options.deadline
    let era = core.cluster.watch.era
    let commit = Task { () async throws(ClusterError) in try await committer.commit(change, before: end) }
    if case .made(let revision) = try await commit.value { core.adopt(operation, revision, era: era) }
  }
}

/// The name of a value in a suite of a cluster, with its type and default.
public struct ClusterKey<Value: Codable & Sendable>: Sendable {
  /// The name of the value; any string is allowed.
  public let name: String

  /// The value until one is set.
  public let defaultValue: Value

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - name: The name of the value; any string is allowed.
  ///   - defaultValue: The value until one is set. It is never written.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}

/// A snapshot of the values of a suite.
public struct ClusterContents: Sendable {
  private let entries: RangeEntries
  private let place: String

  init(_ entries: RangeEntries, place: String) {
    (self.entries, self.place) = (entries, place)
  }

  /// The names of all stored values.
  ///
  /// Keys that are not the encoding of a name are left out.
  public var names: Set<String> { Set(entries.entries.keys.compactMap { KeyName.decoded($0) }) }

  /// Returns the value of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The stored value, or the default if there is none.
  /// - Throws: ``ClusterError/undecodable(key:reason:)`` if the content is of another type.
  public func value<Value>(for key: ClusterKey<Value>) throws(ClusterError) -> Value {
    guard let data = self.data(of: key.name) else { return key.defaultValue }
    return try ValueCoding.decode(Value.self, from: data, key: "\(place)/\(key.name)")
  }

  /// The stored bytes of a name.
  func data(of name: String) -> Data? { entries.entries[Data(KeyName.encoded(name).utf8)]?.value }
}

/// Derives the value of one key from the contents of a suite, and remembers the last good one.
final class ClusterKeyFollower<Value: Codable & Sendable>: Sendable {
  /// A value and the bytes that it was decoded from; equal bytes have equal values.
  struct LastGood: Sendable, Equatable {
    let value: Value
    let data: Data?

    static func == (first: LastGood, second: LastGood) -> Bool { first.data == second.data }
  }

  private let key: ClusterKey<Value>
  private let memory: Guarded<LastGood>

  init(_ key: ClusterKey<Value>) {
    self.key = key
    memory = Guarded(LastGood(value: key.defaultValue, data: nil))
  }

  /// Returns the value in the contents, or the last good one if it cannot be decoded.
  func lastGood(in contents: ClusterContents) -> LastGood {
    let last = memory.withLock { $0 }
    let data = contents.data(of: key.name)
    if data == last.data { return last }
    do throws(ClusterError) {
      let good = LastGood(value: try contents.value(for: key), data: data)
      memory.replace { exchange(&$0, with: good) }
      return good
    } catch {
      return last
    }
  }
}
