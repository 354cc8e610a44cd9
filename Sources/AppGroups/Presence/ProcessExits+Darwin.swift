#if canImport(Darwin)
  import Dispatch
  import Signals

  /// Observes the ends of processes, because closing a file does not notify the observers of its directory.
  final class ProcessExits: Sendable {
    private struct State {
      var sources: [Int32: any DispatchSourceProcess] = [:]
      /// The number of the read whose processes are observed.
      var number = 0
    }

    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "org.signals.process-exits", qos: .userInitiated)

    deinit {
      state.withLock { for source in $0.sources.values { source.cancel() } }
    }

    /// Observes exactly the processes that a read has found, unless those of a later read are observed.
    ///
    /// The closure is called when a process has ended, and when it is certain that its end will be seen. Its receiver
    /// looks at the directory again, so the calls need neither values nor an order, and are no signal.
    func observe(_ processes: Set<Int32>, asOf number: Int, onChange: @escaping @Sendable () -> Void) {
      state.withLock { state in
        guard number >= state.number else { return }
        state.number = number
        for (process, source) in state.sources where !processes.contains(process) {
          source.cancel()
          state.sources[process] = nil
        }
        for process in processes.subtracting(state.sources.keys) {
          let source = DispatchSource.makeProcessSource(identifier: process, eventMask: .exit, queue: queue)
          source.setEventHandler(handler: onChange)
          // A process that ended earlier is detected by checking once more.
          source.setRegistrationHandler(handler: onChange)
          state.sources[process] = source
          source.activate()
        }
      }
    }
  }
#endif
