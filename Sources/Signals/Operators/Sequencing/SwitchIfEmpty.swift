extension Signal {
  /// Continues with another signal if this one finishes without having sent a value.
  ///
  /// Values are delivered on the thread that sends them. RxSwift calls this operator `ifEmpty(switchTo:)`. For a single
  /// replacement value, use ``replaceEmpty(with:)``.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let cached = EmptySignal<String, Never>()
  /// let fetched = ["fresh", "fresher"].signal
  /// let subscription = cached.switchIfEmpty(fetched).sink { print($0) }
  /// // Prints "fresh"
  /// // Prints "fresher"
  /// ```
  ///
  /// - Parameter other: The signal to continue with. It is subscribed to when this one has finished, and not at all if
  ///   this one sends a value or fails.
  /// - Returns: A signal of the values of this signal or, if there are none, of the other.
  /// - Complexity: O(1) for each value, without an allocation.
  @inlinable @inline(__always)
  public func switchIfEmpty<Other: Signal<Element, Failure>>(_ other: Other) -> SwitchIfEmptySignal<Self, Other> {
    SwitchIfEmptySignal(upstream: self, other: other)
  }
}

extension Signal where Failure == Never {
  /// Continues with another signal, which can fail, if this one finishes without having sent a value.
  ///
  /// - Parameter other: The signal to continue with.
  /// - Returns: A signal of the values of this signal or, if there are none, of the other.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func switchIfEmpty<Other: Signal>(
    _ other: Other
  ) -> SwitchIfEmptySignal<SetFailureTypeSignal<Self, Other.Failure>, Other> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).switchIfEmpty(other)
  }
}

/// A signal that continues with another if it is empty; the result of
/// ``Signal/switchIfEmpty(_:)->SwitchIfEmptySignal<Self,Other>`` and its overload.
public struct SwitchIfEmptySignal<Upstream: Signal, Other: Signal<Upstream.Element, Upstream.Failure>>: Signal {
  /// The values of either signal.
  public typealias Element = Upstream.Element

  /// The error of either signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let other: Other

  @inlinable @inline(__always)
  init(upstream: Upstream, other: Other) {
    self.upstream = upstream
    self.other = other
  }

  /// Attaches a subscriber to the upstream signal and, if that is empty, to the other.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    let stage = SwitchIfEmptyStage(downstream: subscriber, upstreams: upstreams, other: other)
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct SwitchIfEmptyStage<Downstream: SignalSubscriber, Other: Signal<Downstream.Element, Downstream.Failure>>:
  PassThroughStage
{
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let other: Other
  @usableFromInline let isEmpty = StageState(true)

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, other: Other) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.other = other
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    isEmpty.value = false
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    guard case .finished = completion, isEmpty.value else { return downstream.receive(completion: completion) }
    guard !upstreams.isCancelled, !downstream.isDone else { return }
    upstreams.add(other.subscribe(LateStage(downstream: downstream, upstreams: upstreams)))
  }
}
