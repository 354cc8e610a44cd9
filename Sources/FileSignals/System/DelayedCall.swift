package import Dispatch
package import Signals

/// A call that runs after a pause, once for all requests during the pause.
///
/// Use it to react soon to events that may be frequent:
///
/// ```
/// looks.request { [weak self] in self?.look() }
/// ```
///
/// - **Pauses:** Each call waits for the next pause of a ``Backoff``. After the last one, requests have no effect until
///   ``reset()``.
/// - **Threads:** Requests may come from any thread. The call runs on the queue with no lock held. A request during the
///   call leads to another call.
package final class DelayedCall: Sendable {
  /// A function that runs a closure after a pause.
  package typealias Schedule = @Sendable (_ pause: Duration, _ call: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var pauses: Backoff.Pauses
    var isDue = false
  }

  private let schedule: Schedule
  private let state: Guarded<State>

  /// Creates a call that runs on a queue.
  package convenience init(_ backoff: Backoff, on queue: DispatchQueue) {
    self.init(backoff) { pause, call in
      if pause > .zero { queue.async(after: pause, execute: call) } else { queue.async(execute: call) }
    }
  }

  /// Creates a call that is scheduled by `schedule`.
  package init(_ backoff: Backoff, schedule: @escaping Schedule) {
    self.schedule = schedule
    state = Guarded(State(pauses: backoff.pauses()))
  }

  /// A Boolean value that indicates whether the call has been requested and has not begun.
  package var isDue: Bool { state.withLock { $0.isDue } }

  /// Schedules the call, unless it is already due.
  ///
  /// - Parameter call: The closure to call, on the queue of this object.
  package func request(_ call: @escaping @Sendable () -> Void) {
    let pause = state.withLock { state -> Duration? in
      guard !state.isDue, let pause = state.pauses.next() else { return nil }
      state.isDue = true
      return pause
    }
    guard let pause else { return }
    schedule(pause) { [self] in
      state.withLock { $0.isDue = false }
      call()
    }
  }

  /// Restarts with the first pause, from the next call that is scheduled.
  package func reset() {
    state.withLock { $0.pauses.reset() }
  }
}
