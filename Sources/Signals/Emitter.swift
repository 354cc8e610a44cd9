import Synchronization

/// A signal whose values you send yourself.
///
/// You can send from any thread, including from inside a subscriber. All subscribers receive all values in one order,
/// which preserves the order of each thread's own values. If another thread is delivering when you send, it also
/// delivers your value, after its own, and ``send(_:)`` returns at once. No lock is held while subscribers run. See
/// laws 1 to 3 of <doc:/Docs/TheLaws>.
///
/// ```swift
/// import Signals
///
/// let keys = Emitter<Character, Never>()
/// let subscription = keys.filter(\.isLetter).sink { print($0) }
/// for key in "a1b2" { keys.send(key) }
/// // Prints "a"
/// // Prints "b"
/// ```
///
/// An emitter lives until its last reference is released, and then completes. Subscriptions do not keep it alive. Law 5
/// describes what follows completion.
///
/// - Complexity: Sending costs one atomic load if there is no subscriber. Otherwise it is O(*n*) in the number of
///   subscribers, without allocations or locks.
public final class Emitter<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let core: EmitterCore<Element, Failure>

  /// Creates an emitter without replay: a subscriber receives the values that are sent after it subscribes.
  public init() {
    core = EmitterCore()
  }

  /// Creates an emitter that replays its last values to later subscribers.
  ///
  /// After the emitter has ended, a new subscriber still receives the replayed values, and then the completion.
  ///
  /// - Parameter count: The number of values to replay; a negative count counts as 0.
  public init(replay count: Int) {
    core = EmitterCore(replay: Swift.max(0, count))
  }

  deinit {
    core.end(.finished)
  }

  /// Sends a value to all subscribers.
  ///
  /// This method does nothing after the emitter has ended.
  ///
  /// - Parameter value: The value to send.
  @inlinable @inline(__always)
  public func send(_ value: Element) {
    core.send(value)
  }

  /// A Boolean value that indicates whether a sent value would reach a subscriber.
  ///
  /// Check it before you build an expensive value.
  package var hasSubscribers: Bool { core.interest.load(ordering: .sequentiallyConsistent) != 0 }

  /// Ends the signal and releases all subscribers; later values and completions are ignored.
  ///
  /// - Parameter completion: The way the signal ends: finished, or with an error.
  public func send(completion: SignalCompletion<Failure>) {
    core.end(completion)
  }

  /// Completes the signal normally.
  public func finish() {
    core.end(.finished)
  }

  /// Ends the signal with an error.
  ///
  /// - Parameter error: The error that subscribers receive.
  public func fail(_ error: Failure) {
    core.end(.failure(error))
  }

  /// Attaches a subscriber and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: The subscriber. It receives the replayed values, then every later value, then the
  ///   completion.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    core.subscribe(subscriber)
  }
}

extension Emitter where Element == Void {
  /// Sends `()` to all subscribers.
  @inlinable @inline(__always)
  public func send() {
    core.send(())
  }
}
