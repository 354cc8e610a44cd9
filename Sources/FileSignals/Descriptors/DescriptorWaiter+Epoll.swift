#if os(Linux)
  import CEpoll
  import Dispatch
  import Signals

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Waits for one descriptor, which it owns, and calls back when it is ready.
  ///
  /// Dispatch sources would do, but on Linux their bookkeeping breaks when many are made and cancelled: the manager
  /// thread then follows a freed pointer (github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
  final class DescriptorWaiter: Sendable {
    private struct State {
      var isResumed = false
      var pauses = 0
      var isCancelled = false
      /// A call is due or under way; the next one is not asked for before.
      var isCalling = false
      /// The kernel has the descriptor in its list.
      var isListed = false
      /// The kernel will report the descriptor once.
      var isArmed = false

      var isWanted: Bool { isResumed && pauses == 0 && !isCancelled }
    }

    private let descriptor: CInt
    private let isReading: Bool
    private let delivery: DescriptorDelivery
    private let onReady: @Sendable (Int) -> Void
    private let poller: DescriptorPoller
    private let number: UInt64
    private let state = Guarded(State())

    /// Takes a descriptor over, and waits for it once resumed.
    ///
    /// If this throws, the descriptor is still the caller's.
    init(
      descriptor: CInt, events: FileDescriptorSource.Events, delivery: DescriptorDelivery,
      onReady: @escaping @Sendable (Int) -> Void
    ) throws(FileObserverError) {
      poller = try DescriptorPoller.shared()
      number = poller.nextNumber()
      self.descriptor = descriptor
      isReading = events == .readable
      self.delivery = delivery
      self.onReady = onReady
    }

    /// Begins to wait.
    func resume() {
      poller.add(self, as: number)
      state.withLock {
        $0.isResumed = true
        arm(&$0)
      }
    }

    /// Stops waiting until the next ``resume()``.
    func suspend() {
      state.withLock {
        $0.isResumed = false
        disarm(&$0)
      }
      poller.remove(number)
    }

    /// Keeps the descriptor from waking a thread, until ``endPause()`` has been called as often.
    func pause() {
      state.withLock {
        $0.pauses += 1
        disarm(&$0)
      }
    }

    /// Ends a pause, and delivers what is ready by then.
    func endPause() {
      state.withLock {
        $0.pauses -= 1
        arm(&$0)
      }
    }

    /// Stops waiting, and closes the descriptor when a call under way is over.
    func cancel() {
      let closesNow = state.withLock {
        $0.isCancelled = true
        if $0.isListed { poller.unlist(descriptor) }
        return !$0.isCalling
      }
      poller.remove(number)
      if closesNow { close(descriptor) }
    }

    // MARK: Waiting

    /// Asks the kernel for one report, at once if the descriptor is ready.
    private func arm(_ state: inout State) {
      guard state.isWanted, !state.isCalling, !state.isArmed else { return }
      if poller.arm(descriptor, number, isReading: isReading, isListed: state.isListed) {
        (state.isListed, state.isArmed) = (true, true)
      } else if errno == EPERM {
        // A regular file: the kernel does not wait for it, because it is always ready.
        state.isCalling = true
        DispatchQueue.global().async { [self] in deliver() }
      } else {
        // The system is short of memory or of entries; without another try the descriptor would stay silent for good.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in
          self.state.withLock { arm(&$0) }
        }
      }
    }

    private func disarm(_ state: inout State) {
      // During a call the kernel reports nothing.
      guard state.isArmed else { return }
      // Waiting for no events would not do: a thread would be woken, find none, and sleep on.
      poller.unlist(descriptor)
      (state.isListed, state.isArmed) = (false, false)
    }

    /// Calls back, or has it done on the queue; on a thread that waited.
    fileprivate func fire() {
      let isDue = state.withLock {
        $0.isArmed = false
        guard $0.isWanted, !$0.isCalling else { return false }
        $0.isCalling = true
        return true
      }
      if isDue { deliver() }
    }

    private func deliver() {
      switch delivery {
      case .queue(let queue):
        queue.async { [self] in
          if state.withLock({ $0.isWanted }) { onReady(readyCount()) }
          endCall()
        }
      case .inline(let afterwards):
        onReady(1)
        endCall()
        afterwards()
      }
    }

    private func endCall() {
      let isOver = state.withLock {
        $0.isCalling = false
        arm(&$0)
        return $0.isCancelled
      }
      if isOver { close(descriptor) }
    }

    /// The number of bytes that can be read; 1 if the descriptor does not count bytes.
    private func readyCount() -> Int {
      guard isReading else { return 1 }
      var count: CInt = 0
      return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 1
    }
  }

  /// The threads that wait for all descriptors of the process.
  ///
  /// One may be busy with an inline call and one with what follows it, so that a third still waits.
  private final class DescriptorPoller: Sendable {
    private static let started = Guarded<DescriptorPoller?>(nil)
    private static let threadCount = 3

    /// The poller, which starts when it is first asked for and never ends.
    static func shared() throws(FileObserverError) -> DescriptorPoller {
      try started.withLock { started throws(FileObserverError) in
        if let started { return started }
        let poller = try DescriptorPoller()
        started = poller
        return poller
      }
    }

    private struct Table {
      var waiters: [UInt64: DescriptorWaiter] = [:]
      var lastNumber: UInt64 = 0
    }

    private let list: CInt
    /// A report carries a waiter's number, because the descriptor's may belong to another file by now.
    private let table = Guarded(Table())

    private init() throws(FileObserverError) {
      list = epoll_create1(O_CLOEXEC)
      guard list >= 0 else { throw FileObserverError(errno, "wait for", "descriptors") }
      for _ in 0..<Self.threadCount {
        // A queue of its own, so that its thread may wait for ever. Dispatch lets it take no signals.
        DispatchQueue(label: "org.signals.wait", qos: .userInitiated).async { [self] in run() }
      }
    }

    func nextNumber() -> UInt64 {
      table.withLock {
        $0.lastNumber += 1
        return $0.lastNumber
      }
    }

    func add(_ waiter: DescriptorWaiter, as number: UInt64) {
      table.withLock { $0.waiters[number] = waiter }
    }

    func remove(_ number: UInt64) {
      table.replace { $0.waiters.removeValue(forKey: number) }
    }

    /// Has the kernel report a descriptor once.
    ///
    /// - Returns: A Boolean value that indicates whether it will; if not, `errno` says why.
    func arm(_ descriptor: CInt, _ number: UInt64, isReading: Bool, isListed: Bool) -> Bool {
      let events = (isReading ? EPOLLIN : EPOLLOUT).rawValue | EPOLLONESHOT.rawValue
      var event = epoll_event(events: events, data: epoll_data_t(u64: number))
      return epoll_ctl(list, isListed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    func unlist(_ descriptor: CInt) {
      _ = epoll_ctl(list, EPOLL_CTL_DEL, descriptor, nil)
    }

    private func run() {
      var event = epoll_event()
      while true {
        guard uninterrupted({ epoll_wait(list, &event, 1, -1) }) == 1 else { continue }
        let number = event.data.u64
        let waiter = table.withLock { $0.waiters[number] }
        waiter?.fire()
      }
    }
  }
#endif
