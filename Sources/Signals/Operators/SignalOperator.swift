/// An operator on each value, and on the completion, of the signal before it.
///
/// An operator is a small value: it holds what the user configured, and creates a ``State`` for each subscription.
/// Apply it with ``Signal/lift(_:)``, and give it a name in an extension of ``Signal``:
///
/// ```swift
/// import Signals
///
/// struct Every<Input: Sendable, Failure: Error>: SignalOperator {
///   static var endsSignal: Bool { false }
///   let step: Int
///
///   func makeState() -> Int { 0 }
///
///   func receive(_ value: Input, state: inout Int, next: some SignalSubscriber<Input, Failure>) {
///     state += 1
///     if state.isMultiple(of: step) { next.receive(value) }
///   }
/// }
///
/// extension Signal {
///   func every(_ step: Int) -> some Signal<Element, Failure> { lift(Every(step: step)) }
/// }
///
/// let subscription = (1...6).signal.every(3).sink { print($0) }
/// // Prints "3"
/// // Prints "6"
/// ```
///
/// Name the generic parameters of your type ``Input``, ``Output``, ``InputFailure`` and ``Failure``, and they are the
/// associated types. An operator that changes neither the type of the values nor that of the error needs only two.
///
/// - **Threads:** All methods are called on the thread that sends, never concurrently for one subscription. So the
///   state needs no lock.
/// - **Cost:** The compiler fuses a chain of operators into one function if they are in the module that subscribes, or
///   `@inlinable`. A subscription takes two allocations if ``endsSignal`` is `true`, or else one if the ``State`` has a
///   size. A value takes none.
public protocol SignalOperator<Input, Output, Failure>: Sendable {
  /// The type of the values that the operator receives.
  associatedtype Input: Sendable

  /// The type of the error that the operator receives; the same as ``Failure`` unless the operator declares it.
  associatedtype InputFailure: Error = Failure

  /// The type of the values that the operator sends; the same as ``Input`` unless the operator declares it.
  associatedtype Output: Sendable = Input

  /// The type of the error that the operator sends.
  associatedtype Failure: Error

  /// The state of the operator from one value to the next, in one subscription; `Void` if it declares none.
  associatedtype State = Void

  /// A Boolean value that indicates whether the operator may send a completion before it has received one, may send
  /// several values for one, or needs to know in ``receive(completion:state:next:)`` whether the subscription has been
  /// cancelled.
  ///
  /// The default is `true`. The subscriber `next` then cancels the signal before it when it receives a completion.
  /// After a completion or a cancellation, `next` ignores everything, and `next.isDone` is `true`. An operator that
  /// sends at most one value for each, and only passes on the completion that it receives, returns `false`, which saves
  /// allocations for each subscription.
  static var endsSignal: Bool { get }

  /// Creates the state of one subscription.
  ///
  /// A state without a size, such as `Void`, is not kept: it is created for each call.
  func makeState() -> State

  /// Begins a subscription, before the signal before the operator is subscribed to; it does nothing by default.
  ///
  /// If the operator sends a completion here, that signal is not subscribed to at all.
  ///
  /// - Parameters:
  ///   - state: The state of the subscription.
  ///   - next: The subscriber after the operator.
  func begin(state: inout State, next: some SignalSubscriber<Output, Failure>)

  /// Receives the next value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - state: The state of the subscription.
  ///   - next: The subscriber after the operator.
  func receive(_ value: Input, state: inout State, next: some SignalSubscriber<Output, Failure>)

  /// Receives the completion; by default, it is passed on.
  ///
  /// - Parameters:
  ///   - completion: The way the signal before the operator ended.
  ///   - state: The state of the subscription.
  ///   - next: The subscriber after the operator.
  func receive(
    completion: SignalCompletion<InputFailure>, state: inout State, next: some SignalSubscriber<Output, Failure>)
}

extension SignalOperator {
  /// A Boolean value that indicates whether the operator may send a completion of its own; `true` by default.
  @inlinable @inline(__always)
  public static var endsSignal: Bool { true }

  /// Does nothing.
  @inlinable @inline(__always)
  public func begin(state: inout State, next: some SignalSubscriber<Output, Failure>) {}
}

/// An operator that sends no completion before it has received one, and need not know of a cancellation.
@usableFromInline
protocol PassingOperator: SignalOperator {}

extension PassingOperator {
  @inlinable @inline(__always)
  static var endsSignal: Bool { false }
}

extension SignalOperator where State == Void {
  /// Creates no state.
  @inlinable @inline(__always)
  public func makeState() {}
}

extension SignalOperator where InputFailure == Failure {
  /// Passes the completion on.
  @inlinable @inline(__always)
  public func receive(
    completion: SignalCompletion<Failure>, state: inout State, next: some SignalSubscriber<Output, Failure>
  ) {
    next.receive(completion: completion)
  }
}

extension Signal {
  /// Applies an operator to the signal.
  ///
  /// RxJava calls this method `lift`, too. Use it to write operators of your own; see ``SignalOperator``.
  ///
  /// - Parameter operation: The operator.
  /// - Returns: A signal of what the operator sends. Each subscription has a state of its own.
  @inlinable @inline(__always)
  public func lift<Operator: SignalOperator>(_ operation: Operator) -> some Signal<Operator.Output, Operator.Failure>
  where Operator.Input == Element, Operator.InputFailure == Failure {
    OperatorSignal(self, operation)
  }
}
