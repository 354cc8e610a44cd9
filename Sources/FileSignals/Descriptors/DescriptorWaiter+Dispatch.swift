#if canImport(Darwin)
  import Darwin
  import Dispatch

  /// Waits for one descriptor, which it owns, and calls back when it is ready.
  final class DescriptorWaiter: @unchecked Sendable {  // Sound: a dispatch source may be used from any thread.
    private let source: any DispatchSourceProtocol
    /// How often the source has been suspended more than resumed; the waiter's owner guards it.
    private var suspensions = 1

    /// Takes a descriptor over, and waits for it from ``resume()`` on.
    init(
      descriptor: CInt, events: FileDescriptorSource.Events, delivery: DescriptorDelivery,
      onReady: @escaping @Sendable (Int) -> Void
    ) throws(FileObserverError) {
      let queue: DispatchQueue
      let afterwards: @Sendable () -> Void
      switch delivery {
      case .queue(let given): (queue, afterwards) = (given, {})
      // Dispatch has threads of its own, so its queue is where the caller's work is done without another hop.
      case .inline(let closure):
        (queue, afterwards) = (DispatchQueue(label: "org.signals.wait", qos: .userInitiated), closure)
      }
      // Sound: its data is read on its queue only. The handlers hold the source, until cancelling lets go of them.
      nonisolated(unsafe) let source: any DispatchSourceProtocol =
        switch events {
        case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        }
      source.setEventHandler {
        onReady(Int(source.data))
        afterwards()
      }
      // Closed any earlier, the number could be given to another file, whose source would then never fire.
      source.setCancelHandler { close(descriptor) }
      // A source that was never activated must not be released, and one that is suspended neither.
      source.activate()
      source.suspend()
      self.source = source
    }

    /// Begins to wait.
    func resume() {
      suspensions -= 1
      source.resume()
    }

    /// Stops waiting until the next ``resume()``.
    func suspend() {
      suspensions += 1
      source.suspend()
    }

    /// Keeps the descriptor from being reported, until ``endPause()`` has been called as often.
    func pause() {
      suspend()
    }

    /// Ends a pause.
    func endPause() {
      resume()
    }

    /// Stops waiting, and closes the descriptor when a call under way is over.
    func cancel() {
      for _ in 0..<max(0, suspensions) { source.resume() }
      suspensions = 0
      source.cancel()
    }
  }
#endif
