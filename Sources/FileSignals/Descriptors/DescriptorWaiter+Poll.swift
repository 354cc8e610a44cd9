#if !canImport(Darwin)
  import Dispatch
  import Signals

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Waits for one descriptor, and says on a queue when it is ready.
  ///
  /// Dispatch sources would do, but on Linux their bookkeeping breaks when many are made and cancelled: the manager
  /// thread then follows a freed pointer (github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
  final class DescriptorWaiter: @unchecked Sendable {  // Sound: what changes is guarded by the poller's lock.
    let descriptor: CInt
    let interest: Int16
    private let poller: DescriptorPoller
    private let queue: DispatchQueue
    private let onReady: @Sendable (Int) -> Void

    /// Whether anybody wants to know.
    fileprivate var isResumed = false
    /// Whether a call is due or under way; the next one is not asked for before.
    fileprivate var isCalling = false
    fileprivate var isCancelled = false

    /// Makes a waiter, which begins to wait when it is resumed.
    init(
      descriptor: CInt, events: FileDescriptorSource.Events, queue: DispatchQueue,
      onReady: @escaping @Sendable (Int) -> Void
    ) throws(FileObserverError) {
      poller = try DescriptorPoller.shared()
      self.descriptor = descriptor
      interest = Int16(events == .readable ? POLLIN : POLLOUT)
      self.queue = queue
      self.onReady = onReady
    }

    func resume() {
      poller.change(self) { $0.isResumed = true }
    }

    func suspend() {
      poller.change(self) { $0.isResumed = false }
    }

    /// Stops waiting and closes the descriptor, after a call that may be under way.
    func cancel() {
      poller.change(self) { $0.isCancelled = true }
      queue.async { [descriptor] in close(descriptor) }
    }

    /// Makes the call that is due, unless nobody wants it any more; for the poller.
    fileprivate func call() {
      queue.async { [self] in
        if poller.isWanted(self) { onReady(readyCount()) }
        poller.change(self) { $0.isCalling = false }
      }
    }

    /// How many bytes there are to read; 1 for what counts no bytes.
    private func readyCount() -> Int {
      guard interest == Int16(POLLIN) else { return 1 }
      var count: CInt = 0
      return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 1
    }
  }

  /// The one thread that waits for all descriptors of the process.
  private final class DescriptorPoller: @unchecked Sendable {  // Sound: the table is guarded by the lock.
    private static let startLock = Lock()
    nonisolated(unsafe) private static var started: DescriptorPoller?  // Sound: guarded by the lock.

    /// The poller, which is started when it is first asked for.
    static func shared() throws(FileObserverError) -> DescriptorPoller {
      try startLock.withLock { () throws(FileObserverError) in
        if let started { return started }
        let poller = try DescriptorPoller()
        started = poller
        return poller
      }
    }

    private let lock = Lock()
    private var waiters: [ObjectIdentifier: DescriptorWaiter] = [:]
    /// Both ends of a pipe: a byte in it ends the wait, because there is something else to wait for.
    private let bell: (input: CInt, output: CInt)
    private var isRung = false

    init() throws(FileObserverError) {
      var ends: [CInt] = [-1, -1]
      guard pipe(&ends) == 0 else { throw FileObserverError(errno, "make", "a pipe") }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      bell = (ends[0], ends[1])
      // A queue that nobody else uses, so that its thread may wait for ever.
      DispatchQueue(label: "org.signals.poll", qos: .userInitiated).async { [self] in run() }
    }

    func change(_ waiter: DescriptorWaiter, _ body: (DescriptorWaiter) -> Void) {
      lock.withLock {
        body(waiter)
        let isActive = waiter.isResumed && !waiter.isCancelled
        let key = ObjectIdentifier(waiter)
        if isActive == (waiters[key] != nil), isActive == false { return }
        waiters[key] = isActive ? waiter : nil
        // Even one that is no longer waited for: the kernel keeps its file open until the wait ends.
        guard !isRung else { return }
        isRung = true
        _ = write(bell.output, "!", 1)
      }
    }

    func isWanted(_ waiter: DescriptorWaiter) -> Bool {
      lock.withLock { waiter.isResumed && !waiter.isCancelled }
    }

    private func run() {
      var descriptors: [pollfd] = []
      var current: [DescriptorWaiter] = []
      while true {
        lock.withLock {
          current.removeAll(keepingCapacity: true)
          for waiter in waiters.values where !waiter.isCalling { current.append(waiter) }
        }
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(pollfd(fd: bell.input, events: Int16(POLLIN), revents: 0))
        for waiter in current { descriptors.append(pollfd(fd: waiter.descriptor, events: waiter.interest, revents: 0)) }
        _ = uninterrupted { poll(&descriptors, nfds_t(descriptors.count), -1) }
        if descriptors[0].revents != 0 { silence() }
        for (waiter, descriptor) in zip(current, descriptors.dropFirst()) where descriptor.revents != 0 {
          // Its number may belong to another file by now, if it was cancelled meanwhile.
          let isDue = lock.withLock {
            guard waiter.isResumed, !waiter.isCancelled, !waiter.isCalling else { return false }
            waiter.isCalling = true
            return true
          }
          if isDue { waiter.call() }
        }
        current.removeAll(keepingCapacity: true)
      }
    }

    private func silence() {
      lock.withLock {
        isRung = false
        var byte: UInt8 = 0
        while read(bell.input, &byte, 1) > 0 {}
      }
    }
  }
#endif
