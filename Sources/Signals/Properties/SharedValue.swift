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
