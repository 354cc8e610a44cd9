#if canImport(Darwin)
  import CLibrary
  import Dispatch

  /// A waiter that owns one descriptor and calls back when the descriptor is ready.
  final class DescriptorWaiter: @unchecked Sendable {  // Sound: a dispatch source may be used from any thread.
    private let source: any DispatchSourceProtocol
    /// The number of suspensions of the source minus its resumptions.
    ///
    /// Guarded by the waiter's owner.
    private var suspensions = 1

    /// Takes ownership of a descriptor and waits for it after ``resume()``.
    init(
      descriptor: CInt, events: FileDescriptorSource.Events, delivery: DescriptorDelivery,
      onReady: @escaping @Sendable (Int) -> Void
    ) throws(FileObserverError) {
      let queue: DispatchQueue
      let afterwards: @Sendable () -> Void
      switch delivery {
      case .queue(let given): (queue, afterwards) = (given, {})
      // Dispatch has threads of its own, so the caller's work runs on its queue without another hop.
      case .inline(let closure):
        (queue, afterwards) = (DispatchQueue(label: "org.signals.wait", qos: .userInitiated), closure)
      }
      // Sound: its data is read only on its queue. The handlers retain the source until it is cancelled.
      nonisolated(unsafe) let source: any DispatchSourceProtocol =
        switch events {
        case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        }
      source.setEventHandler {
        onReady(Int(source.data))
        afterwards()
      }
      // If it were closed earlier, another file could get the number, and the source of that file would never fire.
      source.setCancelHandler { close(descriptor) }
      // A source must not be released before it has been activated, or while it is suspended.
      source.activate()
      source.suspend()
      self.source = source
    }

    /// Starts to wait.
    func resume() {
      suspensions -= 1
      source.resume()
    }

    /// Stops waiting until the next ``resume()``.
    func suspend() {
      suspensions += 1
      source.suspend()
    }

    /// Suppresses reports of the descriptor until the matching call of ``endPause()``.
    func pause() {
      suspend()
    }

    /// Ends a pause.
    func endPause() {
      resume()
    }

    /// Stops waiting, and closes the descriptor as soon as no call is in progress.
    func cancel() {
      for _ in 0..<max(0, suspensions) { source.resume() }
      suspensions = 0
      source.cancel()
    }
  }
#endif
