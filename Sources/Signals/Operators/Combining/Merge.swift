extension Signal {
  /// Sends the values of this signal and another as they arrive.
  ///
  /// The result finishes when both signals have finished, and fails as soon as one of them fails.
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of the values of both.
  @inlinable @inline(__always)
  public func merge<Other: Signal<Element, Failure>>(with other: Other) -> some Signal<Element, Failure> {
    HubSignal { open in
      let hub = MergeHub<Element, Failure>(inputs: 2)
      return open(hub) {
        hub.attach(HubInput(hub), to: self)
        hub.attach(HubInput(hub), to: other)
      }
    }
  }
}

/// Sends the values of two signals as they arrive.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
/// - Returns: A signal of the values of both, as returned by ``Signal/merge(with:)``.
@inlinable @inline(__always)
public func merge<First: Signal, Second: Signal<First.Element, First.Failure>>(
  _ first: First, _ second: Second
) -> some Signal<First.Element, First.Failure> {
  first.merge(with: second)
}

/// The object at which the inputs of one subscription to a merged signal meet.
@usableFromInline
final class MergeHub<Element: Sendable, Failure: Error>: InputHub, InputReceiver, @unchecked Sendable {
  // Sound: `live` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()
  private var live: Int

  @usableFromInline
  init(inputs: Int) {
    live = inputs
  }

  @inlinable @inline(__always)
  func receive(_ value: Element, from key: Void) {
    core.send(value)
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>, from key: Void) {
    core.withTurn { [self] in
      live -= 1
      if case .finished = completion, live > 0 { return }
      finish(completion)
    }
  }

  @inlinable @inline(__always)
  func isDone(_ key: Void) -> Bool { isDone }
}
