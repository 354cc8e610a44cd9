import Dispatch
import Signals

/// A timer with a deadline that is moved while nothing else happens.
///
/// Moving the deadline replaces it. An idle connection whose member notifies progress is therefore never woken by it.
final class SilenceTimer: Sendable {
  private let source: Guarded<any DispatchSourceTimer>

  /// Creates a timer that calls a closure on a queue.
  init(queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler(handler: body)
    source.activate()
    self.source = Guarded(source)
  }

  deinit {
    source.withLock { $0.cancel() }
  }

  /// Sets the deadline, and forgets an earlier one.
  func set(after pause: Duration) {
    source.withLock { $0.schedule(deadline: .now() + pause.inSeconds) }
  }
}
