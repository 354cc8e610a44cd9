#if os(Linux) || os(Android)
  import CLinux
  import CLibrary
  import Dispatch
  import Signals

  /// A waiter that owns one descriptor and calls back when the descriptor is ready.
  ///
  /// Dispatch sources are not used here, because on Linux their bookkeeping breaks when many are created and cancelled.
  /// The manager thread then follows a freed pointer (github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
  final class DescriptorWaiter: Sendable {
    private struct State {
      var isResumed = false
      var pauses = 0
      var isCancelled = false
      /// A call is due or in progress; the next report is requested afterwards.
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

    /// Takes ownership of a descriptor and waits for it after ``resume()``.
    ///
    /// If this throws, the caller keeps ownership of the descriptor.
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

    /// Starts to wait.
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

    /// Prevents the descriptor from waking a thread until the matching call of ``endPause()``.
    func pause() {
      state.withLock {
        $0.pauses += 1
        disarm(&$0)
      }
    }

    /// Ends a pause, and delivers an event if the descriptor is ready.
    func endPause() {
      state.withLock {
        $0.pauses -= 1
        arm(&$0)
      }
    }

    /// Stops waiting, and closes the descriptor as soon as no call is in progress.
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

    /// Requests one report from the kernel, which comes at once if the descriptor is ready.
    private func arm(_ state: inout State) {
      guard state.isWanted, !state.isCalling, !state.isArmed else { return }
      if poller.arm(descriptor, number, isReading: isReading, isListed: state.isListed) {
        (state.isListed, state.isArmed) = (true, true)
      } else if errno == EPERM {
        // A regular file: the kernel does not wait for it, because it is always ready.
        state.isCalling = true
        DispatchQueue.global().async { [self] in deliver() }
      } else if errno == EEXIST {
        stop(because: "Two sources own file descriptor \(descriptor); pass closesDescriptor: false to one of them")
      } else {
        // The system is short of memory or of entries. Without a retry, the descriptor would never report again.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in
          self.state.withLock { arm(&$0) }
        }
      }
    }

    private func disarm(_ state: inout State) {
      // The kernel reports nothing during a call.
      guard state.isArmed else { return }
      // Waiting for an empty set of events would not help: a thread would be woken for nothing.
      poller.unlist(descriptor)
      (state.isListed, state.isArmed) = (false, false)
    }

    /// Calls back on this thread, which waited, or on the queue.
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
  /// One may be busy with an inline call and another with the work after it, so that a third one still waits.
  private final class DescriptorPoller: Sendable {
    private static let started = Guarded<DescriptorPoller?>(nil)
    private static let threadCount = 3

    /// Returns the poller, which starts at the first call and never ends.
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
    /// The waiters by number.
    ///
    /// A report contains a waiter's number, because the descriptor may belong to another file by then.
    private let table = Guarded(Table())

    private init() throws(FileObserverError) {
      list = epoll_create1(O_CLOEXEC)
      guard list >= 0 else { throw FileObserverError(errno, "wait for", "descriptors") }
      for _ in 0..<Self.threadCount {
        // A separate queue, so that its thread may wait forever. Dispatch blocks signals on its threads.
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

    /// Requests one report of a descriptor from the kernel.
    ///
    /// - Returns: `true` if the request succeeded; otherwise `errno` is set.
    func arm(_ descriptor: CInt, _ number: UInt64, isReading: Bool, isListed: Bool) -> Bool {
      let events = isReading ? epollReadableOnce : epollWritableOnce
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
