/// A signal whose values a closure sends.
///
/// Use it to turn an interface with callbacks into a signal. Each subscription calls the closure once. The closure
/// starts the work, keeps the sink in order to send, and returns the token that stops the work. RxSwift calls this
/// `Observable.create`.
///
/// ```swift
/// import Signals
///
/// final class Thermometer: Sendable {
///   let onChange = MutableProperty<(@Sendable (Int) -> Void)?>(nil)
/// }
///
/// let thermometer = Thermometer()
/// let degrees = CreateSignal<Int, Never> { sink in
///   thermometer.onChange.value = { sink.send($0) }
///   return SignalSubscription { thermometer.onChange.value = nil }
/// }
/// let subscription = degrees.sink { print($0) }
/// thermometer.onChange.value?(21)  // Prints "21"
/// subscription.cancel()
/// print(thermometer.onChange.value == nil)  // Prints "true"
/// ```
///
/// - **Threads:** The closure runs on the thread that subscribes. The sink can be used from any thread, including from
///   inside the closure and from inside a subscriber. Values from several threads are delivered one at a time, in one
///   order.
/// - **Completion:** The first completion counts. The sink ignores everything that follows it.
/// - **Cancellation:** The returned token is cancelled once, when the subscription is cancelled, finishes or fails. If
///   that happens inside the closure, the token is cancelled as soon as the closure has returned it.
/// - **Memory:** After the end, the sink keeps nothing alive. Releasing the sink does not end the signal: send a
///   completion.
///
/// As an argument where a signal is expected, write `.create { sink in … }`.
public struct CreateSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let start: @Sendable (SignalSink<Element, Failure>) -> SignalSubscription

  /// Creates a signal from a closure that starts the work of one subscription.
  ///
  /// - Parameter start: A closure that is called for each subscription. It returns a token that stops the work, such as
  ///   `SignalSubscription { … }`.
  @inlinable @inline(__always)
  public init(_ start: @escaping @Sendable (SignalSink<Element, Failure>) -> SignalSubscription) {
    self.start = start
  }

  /// Calls the closure with a sink that sends to a subscriber.
  @inlinable
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let sink = SignalSink<Element, Failure>()
    let subscription = sink.open(for: subscriber)
    sink.upstreams.add(start(sink))
    return subscription
  }
}

extension Signal {
  /// Returns a signal whose values a closure sends.
  ///
  /// - Parameter start: A closure that is called for each subscription. It returns a token that stops the work.
  /// - Returns: A signal whose element and failure types are inferred from the context.
  @inlinable @inline(__always)
  public static func create<Value, Mistake>(
    _ start: @escaping @Sendable (SignalSink<Value, Mistake>) -> SignalSubscription
  ) -> Self where Self == CreateSignal<Value, Mistake> {
    CreateSignal(start)
  }
}

/// The sending end of one subscription to a ``CreateSignal``.
///
/// You can use it from any thread. After the subscription has ended, it does nothing.
public final class SignalSink<Element: Sendable, Failure: Error>: InputHub, Sendable {
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()

  @usableFromInline
  init() {}

  /// Sends a value to the subscriber.
  ///
  /// - Parameter value: The value to send.
  /// - Complexity: O(1), without an allocation.
  @inlinable @inline(__always)
  public func send(_ value: Element) {
    core.send(value)
  }

  /// Ends the signal and stops the work; later values and completions are ignored.
  ///
  /// - Parameter completion: The way the signal ends: finished, or with an error.
  public func send(completion: SignalCompletion<Failure>) {
    end(completion)
  }

  /// Completes the signal normally.
  public func finish() {
    end(.finished)
  }

  /// Ends the signal with an error.
  ///
  /// - Parameter error: The error that the subscriber receives.
  public func fail(_ error: Failure) {
    end(.failure(error))
  }

  /// A Boolean value that indicates whether the subscriber needs no more values.
  ///
  /// Check it in a loop that sends many values.
  public var isDone: Bool { upstreams.isCancelled || core.isDone }
}

extension SignalSink where Element == Void {
  /// Sends `()` to the subscriber.
  @inlinable @inline(__always)
  public func send() {
    core.send(())
  }
}
