extension Sequence where Self: Sendable, Element: Sendable {
  /// The elements as a signal that sends them all, and then ends.
  ///
  /// Each subscription iterates anew and gets everything inside the call that subscribes. An endless sequence is fine
  /// if an operator such as ``Signal/prefix(_:)`` ends the signal; but not as the inner signal of an operator such as
  /// ``Signal/flatMap(maxConcurrent:_:)->FlatMapSignal<Self,Inner>`` that is made to subscribe to it by the very
  /// subscriber it is calling, who cannot take anything before it returns.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let powers = (0...).signal.map { 1 << $0 }.prefix(3)
  /// let subscription = powers.sink { print($0) }
  /// // Prints "1"
  /// // Prints "2"
  /// // Prints "4"
  /// ```
  @inlinable @inline(__always)
  public var signal: SequenceSignal<Self, Never> { SequenceSignal(self) }
}

/// A signal of a sequence's elements, and then the end.
///
/// Made by ``Swift/Sequence/signal``. Where a signal is expected as an argument, write `.from(_:)`.
@frozen
public struct SequenceSignal<Elements: Sequence & Sendable, Failure: Error>: Signal where Elements.Element: Sendable {
  /// The elements of the sequence.
  public typealias Element = Elements.Element

  @usableFromInline let elements: Elements

  /// Makes a signal of a sequence's elements that cannot fail.
  ///
  /// - Parameter elements: What each subscriber gets.
  @inlinable @inline(__always)
  public init(_ elements: Elements) where Failure == Never {
    self.elements = elements
  }

  /// Makes a signal of a sequence's elements, of the failure that the context asks for.
  ///
  /// - Parameter elements: What each subscriber gets.
  @inlinable @inline(__always)
  public init(_ elements: Elements) {
    self.elements = elements
  }

  /// Gives a subscriber all elements, as long as it takes any, and the end.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    var iterator = elements.makeIterator()
    // Asked before each element, so that a lazy sequence computes none in vain.
    while !subscriber.isDone {
      guard let element = iterator.next() else {
        subscriber.receive(completion: .finished)
        break
      }
      subscriber.receive(element)
    }
    return .ended
  }
}

extension Signal {
  /// A signal of a sequence's elements, and then the end.
  ///
  /// - Parameter elements: What each subscriber gets.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public static func from<Elements>(_ elements: Elements) -> Self where Self == SequenceSignal<Elements, Never> {
    SequenceSignal(elements)
  }

  /// A signal of a sequence's elements, and then the end.
  ///
  /// - Parameter elements: What each subscriber gets.
  /// - Returns: A signal of the failure that the context asks for.
  @inlinable @inline(__always)
  public static func from<Elements, Mistake>(_ elements: Elements) -> Self
  where Self == SequenceSignal<Elements, Mistake> {
    SequenceSignal(elements)
  }
}
