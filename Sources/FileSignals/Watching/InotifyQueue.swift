#if os(Linux)
  import CEpoll
  import Dispatch
  import Signals

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The kernel's queue of what has happened, and the bell that it rings for the threads that wait for it.
  ///
  /// Who is about to change something can keep the bell from ringing, and take in what follows on its own thread: to
  /// wake another one, only for it to find nothing new, takes longer than the change, and the processor from those to
  /// whom it is news.
  final class InotifyQueue: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
    let instance: CInt
    private let bell: CInt

    /// Whose turn it is to read; taken by whoever reads, for as long as it takes to sort what was read.
    private let turn = Lock()
    private let buffer: UnsafeMutableRawBufferPointer

    /// How many are changing something, and whether the last of them must let the bell ring again.
    private var muffles = 0
    private var mustListen = false

    /// Whether the bell is connected, and whether it will ring.
    private var isHung = false
    private var isArmed = false

    /// Opens the queue; it is never closed, like the process's only watch that it belongs to.
    init() throws(FileObserverError) {
      instance = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
      guard instance >= 0 else { throw FileObserverError(errno, "start", "inotify") }
      bell = epoll_create1(O_CLOEXEC)
      let failure = errno
      // Not before: who polls for want of an instance comes here at each look.
      buffer = .allocate(byteCount: 65_536, alignment: 16)
      if bell >= 0, hang() { return }
      let error = FileObserverError(bell < 0 ? failure : errno, "wait for", "inotify")
      close(instance)
      if bell >= 0 { close(bell) }
      buffer.deallocate()
      throw error
    }

    /// Waits until the bell rings, for one of the threads that wait; it rings again when somebody has read.
    func wait() {
      var event = epoll_event.bell
      _ = uninterrupted { epoll_wait(bell, &event, 1, -1) }
    }

    /// Reads what there is, and has it sorted; the bell is silent until ``listen()``.
    ///
    /// - Parameter sort: Gets nothing if there is nothing, or `nil` if the system fails, which would be a fault of its
    ///   own.
    /// - Returns: What `sort` returned.
    func read<Result>(_ sort: (UnsafeRawBufferPointer?) -> Result) -> Result {
      turn.lock()
      defer { turn.unlock() }
      isArmed = false
      return sort(content())
    }

    /// Lets the bell ring once more.
    func listen() {
      turn.lock()
      defer { turn.unlock() }
      if muffles == 0 { hangOrTryLater() } else { mustListen = true }
    }

    /// Keeps the bell from ringing.
    func muffle() {
      turn.lock()
      defer { turn.unlock() }
      muffles += 1
      // A thread that is awake lets it ring again itself.
      guard isArmed else { return }
      // To wait for no events would not do: the threads would be woken, find none, and sleep on.
      _ = epoll_ctl(bell, EPOLL_CTL_DEL, instance, nil)
      (isHung, isArmed, mustListen) = (false, false, true)
    }

    /// Reads what there is, and lets the bell ring again, for what comes after that.
    ///
    /// - Parameter sort: As in ``read(_:)``.
    /// - Returns: What `sort` returned.
    func unmuffle<Result>(_ sort: (UnsafeRawBufferPointer?) -> Result) -> Result {
      turn.lock()
      defer { turn.unlock() }
      let result = sort(content())
      muffles -= 1
      if muffles == 0, mustListen { hangOrTryLater() }
      return result
    }

    /// Has the bell ring once; if the system is short of what that takes, nobody would ever hear of anything again.
    private func hangOrTryLater() {
      if hang() { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in listen() }
    }

    /// Has the bell ring once, at once if there is something to read.
    private func hang() -> Bool {
      var event = epoll_event.bell
      guard epoll_ctl(bell, isHung ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, instance, &event) == 0 else { return false }
      (isHung, isArmed, mustListen) = (true, true, false)
      return true
    }

    private func content() -> UnsafeRawBufferPointer? {
      let count = readSome(buffer, from: instance)
      if count >= 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
      return errno == EAGAIN ? UnsafeRawBufferPointer(rebasing: buffer[..<0]) : nil
    }
  }

  extension epoll_event {
    /// Wakes one thread that waits, and none again before this is asked for anew.
    fileprivate static var bell: epoll_event {
      epoll_event(events: EPOLLIN.rawValue | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: 0))
    }
  }
#endif
