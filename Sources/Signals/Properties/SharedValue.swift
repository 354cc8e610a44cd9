/// An observable value that is stored outside of the process and shared with others.
///
/// `AppGroupsFile` shares a file, `SuiteValue` one key of a suite. Take a `some SharedValue<Settings>` where the
/// kind of store does not matter.
///
/// Reading ``value`` never waits: it is the last known good value. ``read()``, ``write(_:)`` and ``update(_:)`` reach
/// what is stored, and may wait for other processes, which blocks no thread of a task.
public protocol SharedValue<Value>: Signal where Element == Value, Failure == Never {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The error that says why what is stored cannot be reached or used.
  associatedtype AccessError: Error & Hashable

  /// The signal of failures.
  associatedtype Failures: Signal<AccessError, Never>

  /// The last known good value; reading it never waits for another process.
  var value: Value { get }

  /// How ``value`` relates to what is stored.
  var status: Property<SharedValueStatus<AccessError>> { get }

  /// Sends each failure to follow what is stored.
  var failures: Failures { get }

  /// Reads what is stored at this moment.
  ///
  /// - Returns: The stored value, which ``value`` may not have caught up with.
  /// - Throws: Why what is stored cannot be used.
  func read() async throws -> Value

  /// Stores a value; the last of several writers wins.
  ///
  /// - Parameter value: The value to store.
  /// - Throws: Why it could not be stored; nothing has changed then.
  func write(_ value: Value) async throws

  /// Changes what is stored, exclusively: no change made at the same time, in whatever process, is lost.
  ///
  /// - Parameter body: Changes its argument, which is what is stored at this moment.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or why the change could not be made; nothing has changed then.
  @discardableResult
  func update<Result: Sendable>(_ body: @escaping @Sendable (inout Value) throws -> Result) async throws -> Result
}
