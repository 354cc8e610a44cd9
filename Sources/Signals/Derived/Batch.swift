/// Makes several writes to properties one change.
///
/// The writes are visible to every reader at once, but nobody is told of them until the outermost batch of the thread
/// is over, also if `body` throws. Then each property that was written sends its last value, once, and each derived
/// value sends its new one, once and computed from all the new values.
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
/// Who subscribes inside is given what can be read there, and at the end only what has changed since.
///
/// Values sent by other threads, or into an ``Emitter``, are not held back. See <doc:/Docs/DerivedValues>.
///
/// - Parameter body: Writes the properties, on this thread.
/// - Returns: What `body` returned.
/// - Throws: What `body` threw; what it wrote until then stays written and is sent.
public func batch<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let frame = BatchFrame.enter()
  defer { frame.leave() }
  return try body()
}
