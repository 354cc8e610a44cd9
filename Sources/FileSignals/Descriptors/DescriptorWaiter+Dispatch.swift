#if canImport(Darwin)
  import Darwin
  import Dispatch

  /// Waits for one descriptor, and says on a queue when it is ready.
  final class DescriptorWaiter: @unchecked Sendable {  // Sound: a dispatch source may be used from any thread.
    private let source: any DispatchSourceProtocol
    /// How often it has been resumed more than suspended; its owner guards it.
    private var isResumed = false

    /// Makes a waiter, which begins to wait when it is resumed.
    init(
      descriptor: CInt, events: FileDescriptorSource.Events, queue: DispatchQueue,
      onReady: @escaping @Sendable (Int) -> Void
    ) throws(FileObserverError) {
      // Sound: its data is read on its queue only. The handlers hold the source, until cancelling lets go of them.
      nonisolated(unsafe) let source: any DispatchSourceProtocol =
        switch events {
        case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        }
      source.setEventHandler { onReady(Int(source.data)) }
      // Closed any earlier, the number could be given to another file, whose source would then never fire.
      source.setCancelHandler { close(descriptor) }
      // A source that was never activated must not be released, and one that is suspended neither.
      source.activate()
      source.suspend()
      self.source = source
    }

    func resume() {
      isResumed = true
      source.resume()
    }

    func suspend() {
      isResumed = false
      source.suspend()
    }

    /// Stops waiting and closes the descriptor, after a call that may be under way.
    func cancel() {
      if !isResumed { source.resume() }
      source.cancel()
    }
  }
#endif
