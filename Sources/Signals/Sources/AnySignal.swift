extension Signal {
  /// Erases the signal's type, keeping only its element and failure types.
  ///
  /// Use this method to store signals of different types in one place. Where a function can return
  /// `some Signal<Element, Failure>`, that is faster.
  ///
  /// - Returns: A signal that sends the same values.
  @inlinable @inline(__always)
  public func eraseToAnySignal() -> AnySignal<Element, Failure> {
    AnySignal(self)
  }
}

/// A type-erased signal.
public struct AnySignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let attach: @Sendable (ErasedSubscriber<Element, Failure>) -> SignalSubscription

  /// Creates a signal that sends the same values as another one.
  ///
  /// - Parameter signal: The signal whose type is erased.
  @inlinable @inline(__always)
  public init(_ signal: some Signal<Element, Failure>) {
    attach = { signal.subscribe($0) }
  }

  /// Attaches a subscriber to the underlying signal.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    attach(ErasedSubscriber(subscriber))
  }
}

/// The simple sources, for a context that expects a type-erased signal.
extension AnySignal {
  /// Returns a signal that sends one value and finishes.
  ///
  /// - Parameter value: The value that each subscriber receives.
  /// - Returns: A signal with any failure type.
  public static func just(_ value: Element) -> AnySignal {
    AnySignal(JustSignal(value))
  }

  /// Returns a signal that finishes at once, without a value.
  ///
  /// - Returns: A signal with any element and failure types.
  public static func empty() -> AnySignal {
    AnySignal(EmptySignal())
  }

  /// Returns a signal that sends nothing and never ends.
  ///
  /// - Returns: A signal with any element and failure types.
  public static func never() -> AnySignal {
    AnySignal(NeverSignal())
  }

  /// Returns a signal that fails at once, without a value.
  ///
  /// - Parameter error: The error that each subscriber receives.
  /// - Returns: A signal with any element type.
  public static func fail(_ error: Failure) -> AnySignal {
    AnySignal(FailSignal(error))
  }

  /// Returns a signal that sends the elements of a sequence and finishes.
  ///
  /// - Parameter elements: The values that each subscriber receives.
  /// - Returns: A signal with any failure type.
  public static func from(_ elements: some Sequence<Element> & Sendable) -> AnySignal {
    AnySignal(SequenceSignal(elements))
  }

  /// Returns a signal that sends the result of one asynchronous call and finishes.
  ///
  /// - Parameter operation: A function that is called once for each subscription, in a task that is cancelled with it.
  /// - Returns: A signal that fails with the error that the call throws.
  public static func future(_ operation: @escaping @Sendable () async throws(Failure) -> Element) -> AnySignal {
    AnySignal(FutureSignal(operation))
  }

  /// Returns a signal whose values a closure sends.
  ///
  /// - Parameter start: A closure that is called for each subscription. It returns a token that stops the work.
  /// - Returns: A ``CreateSignal``, with its type erased.
  public static func create(
    _ start: @escaping @Sendable (SignalSink<Element, Failure>) -> SignalSubscription
  ) -> AnySignal {
    AnySignal(CreateSignal(start))
  }
}
