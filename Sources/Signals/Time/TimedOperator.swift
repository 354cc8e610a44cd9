/// What an operator does with the values of a signal and with the passing of time.
///
/// The turn of the hub puts values and deadlines into one order, whatever their threads. All methods are called with
/// it, and not after the end.
@usableFromInline
protocol TimedOperator<Input, Output, Failure>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable = Input
  associatedtype Failure: Error
  associatedtype TimeSource: Clock where TimeSource.Duration == Duration

  /// What the operator remembers in one subscription.
  associatedtype State

  /// The clock that measures time.
  var clock: TimeSource { get }

  /// Creates the state of a subscription that begins now.
  func makeState() -> State

  /// Begins a subscription, before the upstream signal is subscribed to.
  func begin(_ hub: TimedHub<Self>)

  /// Continues after the upstream signal has been subscribed to.
  func didSubscribe(_ hub: TimedHub<Self>)

  /// Receives the next value.
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>)

  /// Receives the deadline that the hub was told to wait for.
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>)

  /// Receives the completion.
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>)
}

extension TimedOperator {
  @inlinable @inline(__always)
  func begin(_ hub: TimedHub<Self>) {}

  @inlinable @inline(__always)
  func didSubscribe(_ hub: TimedHub<Self>) {}

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.finish(completion)
  }
}

extension Signal {
  /// Applies a time-based operator to the signal.
  @inlinable @inline(__always)
  func timed<Operator: TimedOperator>(_ operation: Operator) -> some Signal<Operator.Output, Failure>
  where Operator.Input == Element, Operator.Failure == Failure {
    HubSignal { open in
      let hub = TimedHub(operation)
      return open(hub) {
        hub.attach(HubInput(hub), to: self)
        hub.didSubscribe()
      }
    }
  }
}
