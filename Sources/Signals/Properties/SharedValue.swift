/// An observable value that is stored outside the process and shared with other processes.
///
/// `AppGroupsFile` shares a file, and `SuiteValue` shares one key of a suite. Take a `some SharedValue<Settings>` where
/// the kind of store does not matter.
///
/// Reading ``value`` never waits and returns the last known good value. ``read()``, ``write(_:)`` and ``update(_:)``
/// access the store and may wait for other processes. Such a wait suspends the task and blocks no thread of the
/// concurrency pool.
public protocol SharedValue<Value>: Signal, PropertyConvertible
where Element == Value, Failure == Never, PropertyValue == Value {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The type of the errors that prevent access to the store.
  associatedtype AccessError: Error & Hashable

  /// The type of the signal of failures.
  associatedtype Failures: Signal<AccessError, Never>

  /// The last known good value.
  ///
  /// Reading it never waits for another process.
  var value: Value { get }

  /// The value as an observable property.
  ///
  /// The store is followed as long as the property or a subscription to it lives.
  var property: Property<Value> { get }

  /// The relation of ``value`` to the stored value.
  var status: Property<SharedValueStatus<AccessError>> { get }

  /// A signal that sends each failure to follow the stored value.
  var failures: Failures { get }

  /// Reads the stored value.
  ///
  /// - Returns: The stored value, which may be newer than ``value``.
  /// - Throws: An error if the stored value cannot be read or decoded.
  func read() async throws -> Value

  /// Stores a value.
  ///
  /// The last writer wins.
  ///
  /// - Parameter value: The value to store.
  /// - Throws: An error if the value could not be stored. The stored value is then unchanged.
  func write(_ value: Value) async throws

  /// Changes the stored value exclusively, so that no concurrent change by any process is lost.
  ///
  /// - Parameter body: A closure that changes its argument, the stored value.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or an error if the change could not be made. The stored value is then
  ///   unchanged.
  @discardableResult
  func update<Result: Sendable>(_ body: @escaping @Sendable (inout Value) throws -> Result) async throws -> Result
}

/// A shared value that can also be read and changed while the calling thread waits.
///
/// The store of such a value is on this machine, for example a file. Tasks use the asynchronous methods of
/// ``SharedValue``. Code that is not asynchronous uses these methods, which block its thread until other processes have
/// finished their changes.
public protocol BlockingSharedValue<Value>: SharedValue {
  /// Reads the stored value.
  ///
  /// - Returns: The stored value, which may be newer than ``SharedValue/value``.
  /// - Throws: An error if the stored value cannot be read or decoded.
  func read() throws -> Value

  /// Stores a value; the last writer wins.
  ///
  /// When this method returns, ``SharedValue/value`` is the new value.
  ///
  /// - Parameter value: The value to store.
  /// - Throws: An error if the value could not be stored. The stored value is then unchanged.
  func write(_ value: Value) throws

  /// Changes the stored value exclusively, so that no concurrent change by any process is lost.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace a stored value that cannot be decoded. If
  ///     `true`, `body` then receives ``SharedValue/value``.
  ///   - body: A closure that changes its argument, on this thread. Keep it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or an error if the change could not be made. The stored value is then
  ///   unchanged.
  @discardableResult
  func update<Result>(overwriting: Bool, _ body: (inout Value) throws -> Result) throws -> Result

  /// Changes the stored value exclusively, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace a stored value that cannot be decoded. If
  ///     `true`, `body` then receives ``SharedValue/value``.
  ///   - body: A closure that changes its argument, on a queue of the stored value. It cannot suspend. Keep it short,
  ///     because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, an error if the change could not be made, or `CancellationError` if the
  ///   task was cancelled before the update began. The stored value is then unchanged.
  @discardableResult
  func update<Result: Sendable>(
    overwriting: Bool, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result
}

extension BlockingSharedValue {
  /// Changes the stored value exclusively, without blocking the threads that tasks run on.
  ///
  /// A stored value that cannot be decoded is an error.
  ///
  /// - Parameter body: A closure that changes its argument, on a queue of the stored value. It cannot suspend. Keep it
  ///   short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, an error if the change could not be made, or `CancellationError` if the
  ///   task was cancelled before the update began. The stored value is then unchanged.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await update(overwriting: false, body)
  }
}

/// The relation of a shared value to the stored one.
@frozen
public enum SharedValueStatus<AccessError: Error & Hashable>: Sendable, Hashable {
  /// The value is the stored one, as far as the process knows.
  case current

  /// The store has not answered yet.
  ///
  /// The value is the initial one, or one that was kept from earlier.
  ///
  /// Files never have this status, because they are read when they are opened.
  case connecting

  /// Nothing is stored.
  ///
  /// The value is the last one that was stored, or the initial one.
  case missing

  /// The stored value cannot be reached or used.
  ///
  /// The value is the last good one, or the initial one.
  ///
  /// The second associated value is the time of the first failure. It stays the same when one failure follows another.
  case stale(AccessError, since: ContinuousClock.Instant)

  /// The failure that makes the value stale; `nil` if it is not.
  public var failure: AccessError? {
    if case .stale(let failure, _) = self { failure } else { nil }
  }

  /// The time since which the value has been stale; `nil` if it is not.
  public var staleSince: ContinuousClock.Instant? {
    if case .stale(_, let since) = self { since } else { nil }
  }

  /// Returns the status of a value that a failure has made stale.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - previous: The status before. If it was stale, its time is kept.
  /// - Returns: The status.
  package static func stale(_ failure: AccessError, after previous: Self) -> Self {
    .stale(failure, since: previous.staleSince ?? .now)
  }
}

extension SharedValueStatus: CustomStringConvertible {
  /// The status in words, such as `current`, or `stale for 3.2 s:` and the failure.
  ///
  /// The time is the time until now.
  public var description: String {
    switch self {
    case .current: "current"
    case .connecting: "connecting"
    case .missing: "missing"
    case .stale(let failure, let since): "stale for \(Self.words(for: since.duration(to: .now))): \(failure)"
    }
  }

  /// Returns a time in seconds, minutes or hours.
  private static func words(for duration: Duration) -> String {
    let seconds = max(0, duration.inSeconds)
    if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
    return seconds < 3600 ? "\(Int(seconds / 60)) min" : "\(Int(seconds / 3600)) h"
  }
}
