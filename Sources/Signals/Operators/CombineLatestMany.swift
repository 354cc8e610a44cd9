/// Sends the latest values of several signals whenever one of them sends, once all have sent.
///
/// The result finishes when all have finished, or as soon as one finishes without having sent; it fails as soon as one
/// fails. For two signals, ``Signal/combineLatest(_:)`` is the faster form.
///
/// ```swift
/// import Signals
///
/// let name = MutableProperty("Ada")
/// let age = MutableProperty(36)
/// let isAdmin = MutableProperty(true)
/// let subscription = combineLatest(name, age, isAdmin).sink { print($0, $1, $2) }  // Prints "Ada 36 true"
/// ```
///
/// - Parameter signals: The signals, of one failure.
/// - Returns: A signal of tuples.
public func combineLatest<each Element: Sendable, Failure: Error>(
  _ signals: repeat any Signal<each Element, Failure>
) -> AnySignal<(repeat each Element), Failure> {
  let upstreams = (repeat (each signals).eraseToAnySignal())
  return AnySignal(attach: { subscriber in
    let latest = (repeat LatestInput<each Element>(of: each upstreams))
    var inputs = 0
    for _ in repeat each latest { inputs += 1 }
    let hub = CombineHub<(repeat each Element), Failure>(inputs: inputs) {
      for isMissing in repeat (each latest).isMissing { if isMissing { return nil } }
      return (repeat (each latest).value.unsafelyUnwrapped)  // Sound: checked just above.
    }
    let subscription = hub.core.subscribe(subscriber)
    subscription.bind(hub.upstreams)
    for (upstream, input) in repeat (each upstreams, each latest) {
      hub.upstreams.add(upstream.subscribe(CombineInput(hub: hub, latest: input)))
    }
    return subscription
  })
}
