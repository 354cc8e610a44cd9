import Synchronization

/// A source that you send values into.
///
/// Any thread may send, also from inside a subscriber. All subscribers get all values in one order, and each thread's
/// own values keep theirs. If another thread is delivering when you send, it delivers your value too, right after its
/// own, and ``send(_:)`` returns at once; no lock is held while subscribers run. See laws 1 to 3 of
/// <doc:/Docs/TheLaws>.
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
/// An emitter lives until its last reference is released, and then finishes, since nobody can send any more.
/// Subscriptions do not keep it alive. What follows an end is law 5.
///
/// - Complexity: Sending is one atomic load if there is no subscriber. Otherwise it is O(*n*) in the number of
///   subscribers, without an allocation and without a lock.
public final class Emitter<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let core: EmitterCore<Element, Failure>

  /// Makes an emitter that keeps nothing: a subscriber gets what is sent after it subscribes.
  public init() {
    core = EmitterCore()
  }

  /// Makes an emitter that replays its last values to whoever subscribes later.
  ///
  /// The values are replayed also after the emitter ended, followed by the completion.
  ///
  /// - Parameter count: How many values to replay; a negative count counts as 0.
  public init(replay count: Int) {
    core = EmitterCore(replay: Swift.max(0, count))
  }

  deinit {
    core.end(.finished)
  }

  /// Sends a value to all subscribers.
  ///
  /// Does nothing after the emitter has ended.
  ///
  /// - Parameter value: The value to send.
  @inlinable @inline(__always)
  public func send(_ value: Element) {
    core.send(value)
  }

  /// Whether somebody would get what is sent, so that who asks need not make it in vain.
  package var hasSubscribers: Bool { core.interest.load(ordering: .sequentiallyConsistent) != 0 }

  /// Ends the signal; all later values and completions are ignored, and all subscribers are released.
  ///
  /// - Parameter completion: How it ended.
  public func send(completion: SignalCompletion<Failure>) {
    core.end(completion)
  }

  /// Ends the signal normally.
  public func finish() {
    core.end(.finished)
  }

  /// Ends the signal with an error.
  ///
  /// - Parameter error: Why the signal cannot go on.
  public func fail(_ error: Failure) {
    core.end(.failure(error))
  }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives what is replayed, then every later value, then the completion.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    core.subscribe(subscriber)
  }
}

extension Emitter where Element == Void {
  /// Sends the one value that there is.
  @inlinable @inline(__always)
  public func send() {
    core.send(())
  }
}
