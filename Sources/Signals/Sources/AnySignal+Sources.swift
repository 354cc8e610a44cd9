/// The simple sources, where a signal is expected whose type is hidden.
extension AnySignal {
  /// A signal of one value, and then the end.
  ///
  /// - Parameter value: The value that each subscriber gets.
  /// - Returns: A signal of any failure.
  public static func just(_ value: Element) -> AnySignal {
    AnySignal(JustSignal(value))
  }

  /// A signal that ends at once, without a value.
  ///
  /// - Returns: A signal of any element and failure.
  public static func empty() -> AnySignal {
    AnySignal(EmptySignal())
  }

  /// A signal that sends nothing and never ends.
  ///
  /// - Returns: A signal of any element and failure.
  public static func never() -> AnySignal {
    AnySignal(NeverSignal())
  }

  /// A signal that fails at once, without a value.
  ///
  /// - Parameter error: The failure that each subscriber gets.
  /// - Returns: A signal of any element.
  public static func fail(_ error: Failure) -> AnySignal {
    AnySignal(FailSignal(error))
  }

  /// A signal of a sequence's elements, and then the end.
  ///
  /// - Parameter elements: What each subscriber gets.
  /// - Returns: A signal of any failure.
  public static func from(_ elements: some Sequence<Element> & Sendable) -> AnySignal {
    AnySignal(SequenceSignal(elements))
  }

  /// A signal of what one asynchronous call returns, and then the end.
  ///
  /// - Parameter operation: Called once for each subscription, in a task that is cancelled with it.
  /// - Returns: A signal whose failure is what the call throws.
  public static func future(
    _ operation: @escaping @Sendable () async throws(Failure) -> Element
  ) -> AnySignal {
    AnySignal(FutureSignal(operation))
  }
}
