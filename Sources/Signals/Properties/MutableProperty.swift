/// An observable value that can be read and written from any thread.
///
/// Writes are visible to the writer at once and are delivered in the order in which they were stored: laws 2 and 7 of
/// <doc:/Docs/TheLaws>. To change a value based on what it is, use ``modify(_:)``: `value += 1` is a read and a write,
/// between which another thread may write. To change a large value in place, use ``withLock(_:)``. To make several
/// writes one change, use ``batch(_:)``.
///
/// ```swift
/// import Signals
///
/// let count = MutableProperty(0)
/// count.modify { $0 += 1 }
/// print(count.value)  // Prints "1"
/// ```
///
/// A property lives until its last reference is released, and then finishes, since nobody can write any more.
/// Subscriptions do not keep it alive.
public final class MutableProperty<Value: Sendable>: Property<Value>, @unchecked Sendable {
  // Sound: immutable; the core guards itself.

  /// Makes a property.
  ///
  /// - Parameter value: The value it starts with.
  public init(_ value: Value) {
    super.init(core: PropertyCore(value))
  }

  deinit {
    core.close()
  }

  /// The current value; setting it sends the new one to all subscribers, equal or not.
  ///
  /// - Complexity: A change in place, such as `value.append(x)`, copies the storage of a collection, as ``modify(_:)``
  ///   does.
  public override var value: Value {
    @inlinable @inline(__always) get {
      core.noteAccess()
      return core.value
    }
    @inlinable @inline(__always) set { core.set(newValue) }
  }

  /// Changes a copy of the value, stores it unless another thread has written meanwhile, and sends it.
  ///
  /// - **Threads:** No lock is held while `body` runs, and readers continue to get the old value. If another thread
  ///   writes meanwhile, `body` runs again on the newer value, so it should do nothing but compute.
  /// - **Re-entrancy:** `body` may read the property, and read and write others. It must not write this same property,
  ///   which stops the program with an explanation.
  /// - **Errors:** If `body` throws, the value stays as it was and nothing is sent.
  ///
  /// - Complexity: O(*n*) in the size of a collection that `body` changes: the property keeps the old storage for its
  ///   readers, so the first change copies it. To append to a large array many times, use ``withLock(_:)``.
  ///
  /// - Parameter body: Changes its argument.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw.
  @inlinable @discardableResult
  public func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try core.modify(body)
  }

  /// Changes the value in place while other threads wait, and sends it.
  ///
  /// Use it to make many small changes to a large collection. In all other cases prefer ``modify(_:)``, which holds no
  /// lock.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let samples = MutableProperty<[Int]>([])
  /// for number in 1...100_000 { samples.withLock { $0.append(number) } }
  /// print(samples.value.count)  // Prints "100000"
  /// ```
  ///
  /// - **Threads:** `body` runs once. Other threads that read, write or subscribe to the property, or to a value
  ///   derived from it, wait until `body` returns, so keep it short. As with every lock, two threads deadlock if each
  ///   waits for a property that the other one has locked: don't lock two properties in different orders.
  /// - **Re-entrancy:** `body` must not read or write the property, nor read a value derived from it, which stops the
  ///   program with an explanation. Nor must it write another property if an observed value is derived from both. The
  ///   same holds for the `deinit` of a value that `body` removes. No lock is held while subscribers run.
  /// - **Small values:** A number, or another plain value of at most eight bytes, is read without waiting, also inside
  ///   `body`: the reader gets the old value.
  /// - **Errors:** If `body` throws, the value keeps what `body` has changed until then, and is sent.
  ///
  /// - Complexity: That of `body`, if no subscriber and no reader has kept a copy of the value; otherwise the first
  ///   change copies a collection's storage.
  ///
  /// - Parameter body: Changes its argument.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw.
  @inlinable @discardableResult
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try core.withLock(body)
  }
}
