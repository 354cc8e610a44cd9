#if os(Linux)
  import Signals

  /// The calls of observers that are due as soon as another thread waits for the kernel's queue again.
  final class InotifyCalls: Sendable {
    private struct State {
      /// Batches for the observers' own queues.
      var toSchedule: [Batches] = []
      /// A batch for one idle observer, which is called on the thread that read the events.
      var toProcess: Batches?
      /// A thread is calling an observer, so no other thread may.
      var isProcessing = false
    }

    private let state = Guarded(State())

    func add(_ batches: Batches) {
      state.withLock {
        if batches.areForOneIdle, !$0.isProcessing {
          $0.isProcessing = true
          $0.toProcess = batches
        } else {
          $0.toSchedule.append(batches)
        }
      }
    }

    /// Makes the calls that are due.
    func make() {
      let (scheduled, processed) = state.withLock { state in
        defer { (state.toSchedule, state.toProcess) = ([], nil) }
        return (state.toSchedule, state.toProcess)
      }
      // First, because processing takes as long as the observer likes.
      for batches in scheduled { batches.schedule() }
      guard let processed else { return }
      processed.process()
      state.withLock { $0.isProcessing = false }
    }
  }
#endif
