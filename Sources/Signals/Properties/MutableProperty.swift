/// An observable value that can be read and written from any thread.
///
/// Writes are visible to the writer at once and are delivered in the order in which they were stored: laws 2 and 7 of
/// <doc:/Docs/TheLaws>. To change a value based on what it is, use ``modify(_:)``: `value += 1` is a read and a write,
/// between which another thread may write. To make several writes one change, use ``batch(_:)``.
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
  public override var value: Value {
    @inlinable @inline(__always) get {
      core.noteAccess()
      return core.value
    }
    @inlinable @inline(__always) set { core.set(newValue) }
  }

  /// Changes the value atomically, and sends the result.
  ///
  /// No lock is held while `body` runs. If another thread writes meanwhile, `body` runs again on the newer value, so it
  /// should do nothing but compute. If it throws, the value stays as it was and nothing is sent.
  ///
  /// - Parameter body: Changes its argument. It must not write this same property, which stops the program with an
  ///   explanation.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw.
  @inlinable @discardableResult
  public func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try core.modify(body)
  }
}
