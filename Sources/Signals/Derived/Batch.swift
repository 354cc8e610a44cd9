/// Combines several writes to properties into one change.
///
/// Every reader sees each write immediately, but subscribers are notified only when the thread's outermost batch ends,
/// even if `body` throws. At that point, each property that was written sends its last value once. Each derived value
/// sends its new value once, computed from all the new inputs.
///
/// ```swift
/// import Signals
///
/// let first = MutableProperty("Ada")
/// let last = MutableProperty("Byron")
/// let name = Property.derived(first, last) { "\($0) \($1)" }
/// let subscription = name.sink { print($0) }  // Prints "Ada Byron"
/// batch {
///   first.value = "Augusta"
///   last.value = "King"
/// }
/// // Prints "Augusta King"
/// ```
///
/// A subscriber that joins inside the batch receives the value that can be read there. When the batch ends, it receives
/// only the changes made since.
///
/// Values that other threads send, and values sent by an ``Emitter``, are not held back. See <doc:/Docs/DerivedValues>.
///
/// - Parameter body: A closure that writes the properties, on the calling thread.
/// - Returns: The result of `body`.
/// - Throws: The error that `body` throws. The writes that it made before are kept and sent.
public func batch<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let frame = BatchFrame.enter()
  defer { frame.leave() }
  return try body()
}
