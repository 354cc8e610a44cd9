extension Sequence where Self: Sendable, Element: Sendable {
  /// A signal that sends all elements of the sequence, and then finishes.
  ///
  /// Each subscription iterates the sequence separately, and receives all elements before `subscribe(_:)` returns.
  ///
  /// An endless sequence is possible if an operator such as ``Signal/prefix(_:)`` ends the signal. The exception is an
  /// inner signal, as in ``Signal/flatMap(maxConcurrent:_:)->Signal<Inner.Element,Self.Failure>``, that is subscribed to
  /// during a delivery to the same subscriber. The subscriber cannot receive a value before that delivery returns, so
  /// the sequence would never stop.
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

/// A signal that sends the elements of a sequence and finishes.
///
/// The result of ``Swift/Sequence/signal``. As an argument where a signal is expected, write `.from(_:)`.
public struct SequenceSignal<Elements: Sequence & Sendable, Failure: Error>: Signal where Elements.Element: Sendable {
  /// The elements of the sequence.
  public typealias Element = Elements.Element

  @usableFromInline let elements: Elements

  /// Creates a signal of a sequence's elements that cannot fail.
  ///
  /// - Parameter elements: The values that each subscriber receives.
  @inlinable @inline(__always)
  public init(_ elements: Elements) where Failure == Never {
    self.elements = elements
  }

  /// Creates a signal of a sequence's elements, with a failure type that is inferred from the context.
  ///
  /// - Parameter elements: The values that each subscriber receives.
  @inlinable @inline(__always)
  public init(_ elements: Elements) {
    self.elements = elements
  }

  /// Sends all elements, until the subscriber needs no more, and then the completion.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    var iterator = elements.makeIterator()
    // Checked before each element, so that a lazy sequence computes no unneeded one.
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
  /// Returns a signal that sends the elements of a sequence and finishes.
  ///
  /// - Parameter elements: The values that each subscriber receives.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public static func from<Elements>(_ elements: Elements) -> Self where Self == SequenceSignal<Elements, Never> {
    SequenceSignal(elements)
  }

  /// Returns a signal that sends the elements of a sequence and finishes.
  ///
  /// - Parameter elements: The values that each subscriber receives.
  /// - Returns: A signal whose failure type is inferred from the context.
  @inlinable @inline(__always)
  public static func from<Elements, Mistake>(_ elements: Elements) -> Self
  where Self == SequenceSignal<Elements, Mistake> {
    SequenceSignal(elements)
  }
}
