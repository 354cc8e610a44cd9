/// An observable value that can be read and written from any thread.
///
/// A write is visible to the writer at once. Values are delivered in the order in which they were stored; see laws 2
/// and 7 of <doc:/Docs/TheLaws>.
///
/// - To change a value based on the current one, use ``modify(_:)``. `value += 1` is a read and a write, and another
///   thread may write between the two.
/// - To change a large value in place, use ``withLock(_:)``.
/// - To combine several writes into one change, use ``batch(_:)``.
///
/// ```swift
/// import Signals
///
/// let count = MutableProperty(0)
/// count.modify { $0 += 1 }
/// print(count.value)  // Prints "1"
/// ```
///
/// A property lives until its last reference is released, and then completes. Subscriptions do not keep it alive.
public final class MutableProperty<Value: Sendable>: Property<Value>, @unchecked Sendable {
  // Sound: immutable; the core guards itself.

  /// Creates a property.
  ///
  /// - Parameter value: The initial value.
  public init(_ value: Value) {
    super.init(core: PropertyCore(value))
  }

  deinit {
    core.close()
  }

  /// The current value.
  ///
  /// Setting it sends the new value to all subscribers, even if it equals the old one. A change inside a class instance
  /// is not a change of the property, and is not sent. Use a structure as the value.
  ///
  /// - Complexity: An in-place change, such as `value.append(x)`, copies the storage of a collection, as ``modify(_:)``
  ///   does.
  public override var value: Value {
    @inlinable @inline(__always) get {
      core.noteAccess()
      return core.value
    }
    @inlinable @inline(__always) set { core.set(newValue) }
  }

  /// Changes a copy of the value, stores the copy, and sends it.
  ///
  /// - **Threads:** No lock is held while `body` runs, and readers continue to see the old value. If another thread
  ///   writes while `body` runs, the result is discarded and `body` runs again on the newer value. `body` should
  ///   therefore have no side effects.
  /// - **Re-entrancy:** `body` may read the property, and may read and write others. Writing this same property stops
  ///   the program with an explanation.
  /// - **Errors:** If `body` throws, the value stays unchanged and nothing is sent.
  ///
  /// - Complexity: O(*n*) in the size of a collection that `body` changes. The property keeps the old storage for its
  ///   readers, so the first change copies it. To append to a large array many times, use ``withLock(_:)``.
  ///
  /// - Parameter body: A closure that changes its argument.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  @inlinable @discardableResult
  public func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try core.modify(body)
  }

  /// Changes the value in place, under a lock, and sends it.
  ///
  /// Use this method to make many small changes to a large collection. In all other cases prefer ``modify(_:)``, which
  /// holds no lock.
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
  ///   derived from it, wait until `body` returns, so keep it short. Two threads deadlock if each waits for a property
  ///   that the other has locked. Always lock several properties in the same order.
  /// - **Re-entrancy:** Inside `body`, reading or writing the property, or reading a value derived from it, stops the
  ///   program with an explanation. `body` must also not write another property if an observed value is derived from
  ///   both. The same rules hold for the `deinit` of a value that `body` removes. No lock is held while subscribers
  ///   run.
  /// - **Small values:** A number, or another trivial value of at most eight bytes, is read without waiting, even
  ///   inside `body`. The reader gets the old value.
  /// - **Errors:** If `body` throws, the changes that it made before are kept and sent.
  ///
  /// - Complexity: The complexity of `body`, if neither a subscriber nor a reader has kept a copy of the value.
  ///   Otherwise, the first change copies a collection's storage.
  ///
  /// - Parameter body: A closure that changes its argument.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  @inlinable @discardableResult
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try core.withLock(body)
  }
}

/// A property wrapper for a stored value that can be observed.
///
/// ```swift
/// import Signals
///
/// struct Player {
///   @Observed var volume = 5
/// }
///
/// let player = Player()
/// let subscription = player.$volume.sink { print("volume", $0) }  // Prints "volume 5"
/// player.volume = 7  // Prints "volume 7"
/// ```
///
/// The property's name reads and writes the value, from any thread. The name prefixed with `$` is the
/// ``MutableProperty``. Subscribers and SwiftUI are notified after the new value has been stored, so reading the
/// property gives that value. To change the value based on the current one, call ``MutableProperty/modify(_:)``:
/// `volume += 1` is a read and a write.
///
/// Copies of a structure share the property. The wrapper's storage is a `var`, which a `Sendable` class and the
/// `nonisolated` part of an actor must not have. Declare `let volume = MutableProperty(5)` there.
@propertyWrapper
public struct Observed<Value: Sendable>: Sendable {
  /// The property that holds the value.
  public let projectedValue: MutableProperty<Value>

  /// Creates an observable value.
  ///
  /// - Parameter wrappedValue: The initial value.
  public init(wrappedValue: Value) {
    projectedValue = MutableProperty(wrappedValue)
  }

  /// The current value.
  ///
  /// Setting it sends the new value to all subscribers.
  @inlinable @inline(__always)
  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
  }
}
