import FileSignals
import Signals

/// Changes injected by a test instead of the kernel.
///
/// Like the kernel's, they are collected during a pause.
final class InjectedChanges: ChangeSource {
  typealias Element = PathChange
  typealias Failure = Never

  private struct State {
    var pauses = 0
    var hasGathered = false
    var log: [String] = []
  }

  let emitter = Emitter<PathChange, Never>()
  let healthSource = MutableProperty(WatchHealth.active)

  private let state = Guarded(State())
  private let afterChange: @Sendable () -> Void

  /// Creates a source without changes.
  ///
  /// - Parameter afterChange: Called after each change made by the subscriber itself, before its delivery.
  init(afterChange: @escaping @Sendable () -> Void = {}) {
    self.afterChange = afterChange
  }

  /// The requests of the subscriber, in order.
  var log: [String] { state.withLock { $0.log } }

  /// Delivers a change on this thread, or collects it during a pause.
  func send() {
    let isPaused = state.withLock { state in
      if state.pauses > 0 { state.hasGathered = true }
      return state.pauses > 0
    }
    if !isPaused { emitter.send(PathChange(written: "value.json")) }
  }

  func subscribe(_ subscriber: some SignalSubscriber<PathChange, Never>) -> SignalSubscription {
    emitter.subscribe(subscriber)
  }

  func pause() {
    state.withLock { state in
      state.pauses += 1
      state.log.append("pause")
    }
  }

  func resume() {
    let mustDeliver = state.withLock { state in
      state.pauses -= 1
      state.log.append("resume")
      return state.pauses == 0 && exchange(&state.hasGathered, with: false)
    }
    if mustDeliver { emitter.send(PathChange(written: "value.json")) }
  }

  func quietly<Failure: Error>(
    _ change: () throws(Failure) -> Void, isKnown: () -> Bool
  ) throws(Failure) -> QuietChange {
    state.withLock { $0.log.append("quietly") }
    try change()
    afterChange()
    send()
    guard isKnown() else { return QuietChange(isKnown: false) }
    state.withLock { state in
      state.hasGathered = false
      state.log.append("known")
    }
    return QuietChange(isKnown: true)
  }

  var health: Property<WatchHealth> { Property(healthSource, keeping: healthSource) }
}
