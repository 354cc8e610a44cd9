// Other systems need it only for tests.
#if canImport(Darwin) && !os(macOS) || DEBUG
  import Dispatch
  import Signals

  /// The changes of an app between foreground and background, of which the last one counts.
  ///
  /// The system grants time for a change by calling a closure on a thread of its own. So a closure may begin after that
  /// of a later change, and it is called a second time, while the first call is running, when the time ends.
  final class LifecycleChanges: Sendable {
    private struct State {
      /// The number of changes so far.
      var announced = 0
      /// The latest change for which a closure was called.
      var begun = 0
    }

    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "org.signals.lifecycle", qos: .userInitiated)

    /// Announces a change.
    ///
    /// - Returns: Its number.
    func announce() -> Int {
      state.withLock { state in
        state.announced += 1
        return state.announced
      }
    }

    /// Performs a change after the one under way, unless a later one has been announced.
    ///
    /// A second call for the same change returns at once.
    func perform(_ number: Int, _ body: () -> Void) {
      let isFirst = state.withLock { state in
        guard number > state.begun else { return false }
        state.begun = number
        return true
      }
      guard isFirst else { return }
      queue.sync { if state.withLock({ $0.announced }) == number { body() } }
    }
  }
#endif
