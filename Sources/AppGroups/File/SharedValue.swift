public import Signals

/// An observable value that is stored outside of the process and shared with others.
///
/// ``AppGroupsFile`` is the one for files. Take a `some SharedValue<Settings>` where it does not matter what stores it.
public protocol SharedValue<Value>: Signal where Element == Value, Failure == Never {
  /// What is shared.
  associatedtype Value: Sendable

  /// What tells of failures.
  associatedtype Failures: Signal<AppGroupsFileError, Never>

  /// The last known good value; reading it never waits for another process.
  var value: Value { get }

  /// How ``value`` stands to what is stored.
  var status: Property<SharedValueStatus> { get }

  /// What keeps ``value`` from following what is stored, each time something does.
  var failures: Failures { get }

  /// What is stored at this moment.
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
