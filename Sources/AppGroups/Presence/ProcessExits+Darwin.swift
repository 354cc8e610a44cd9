#if canImport(Darwin)
  import Dispatch
  import Signals

  /// Observes the ends of processes, because closing a file does not notify the observers of its directory.
  final class ProcessExits: Sendable {
    private let sources = Guarded<[Int32: any DispatchSourceProcess]>([:])
    private let queue = DispatchQueue(label: "org.signals.process-exits", qos: .userInitiated)

    deinit {
      sources.withLock { for source in $0.values { source.cancel() } }
    }

    /// Observes exactly these processes.
    ///
    /// The closure is called when a process has ended, and when it is certain that its end will be seen. Its receiver
    /// looks at the directory again, so the calls need neither values nor an order, and are no signal.
    func observe(_ processes: Set<Int32>, onChange: @escaping @Sendable () -> Void) {
      sources.withLock { sources in
        for (process, source) in sources where !processes.contains(process) {
          source.cancel()
          sources[process] = nil
        }
        for process in processes.subtracting(sources.keys) {
          let source = DispatchSource.makeProcessSource(identifier: process, eventMask: .exit, queue: queue)
          source.setEventHandler(handler: onChange)
          // A process that ended earlier is detected by checking once more.
          source.setRegistrationHandler(handler: onChange)
          sources[process] = source
          source.activate()
        }
      }
    }
  }
#endif
