import CLibrary
public import Signals
import Synchronization

#if canImport(CLinux)
  import CLinux
#endif

/// The POSIX signals that other processes and the terminal send to this process, as a signal.
///
/// A daemon ends its work when it receives `SIGTERM`, and reads its settings again when it receives `SIGHUP`:
///
/// ```swift
/// import CLibrary
/// import Dispatch
/// import FileSignals
/// import Signals
///
/// let received = DispatchSemaphore(value: 0)
/// let subscription = try ProcessSignals([.hangup]).sink { signal in
///   print(signal)
///   received.signal()
/// }
/// raise(SIGHUP)
/// received.wait()  // Prints "SIGHUP"
/// subscription.cancel()
/// ```
///
/// - **Default action:** While there is a subscriber, the signal does not end the process. After the last subscription
///   has ended, it has its earlier effect again.
/// - **Other handlers:** A handler that was installed before, by this program or a library, is still called, and is
///   restored after the last subscription. A handler that is installed later replaces this one.
/// - **Threads:** Subscribers run as ordinary code on a serial queue, not inside the handler, so they may do anything.
///   The handler only writes a byte into a pipe, which wakes the queue.
/// - **Order and count:** A signal that arrives again before it is delivered is delivered once, as by the system.
/// - **Child processes** do not inherit the handler when they start another program.
public struct ProcessSignals: Signal {
  /// A subscriber receives the signal that arrived.
  public typealias Element = ProcessSignal

  /// `Never`: the signal cannot fail.
  public typealias Failure = Never

  private let signals: Set<ProcessSignal>
  private let trap: SignalTrap

  /// Creates a signal of some of the POSIX signals; nothing is changed until it is subscribed to.
  ///
  /// - Parameter signals: The POSIX signals.
  /// - Throws: ``FileObserverError`` if the process has no descriptor left to wait with.
  public init(_ signals: Set<ProcessSignal> = [.terminate, .interrupt]) throws(FileObserverError) {
    self.signals = signals
    trap = try SignalTrap.shared()
  }

  /// Observes the signals from now on.
  ///
  /// - Parameter subscriber: Receives the signals.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe(_ subscriber: some SignalSubscriber<ProcessSignal, Never>) -> SignalSubscription {
    let subscription = trap.signals.filter { [signals] in signals.contains($0) }.subscribe(subscriber)
    for signal in signals { trap.retain(signal) }
    return SignalSubscription { [signals, trap] in
      for signal in signals { trap.release(signal) }
      subscription.cancel()
    }
  }
}

/// A POSIX signal, such as `SIGTERM`.
public struct ProcessSignal: Hashable, Sendable, CustomStringConvertible {
  /// The number of the signal.
  public let number: CInt

  /// Creates a signal.
  ///
  /// - Parameter number: The number of the signal, from 1 to 63. `SIGKILL` and `SIGSTOP` never arrive.
  public init(number: CInt) {
    if !(1...63).contains(number) { stop(because: "There is no signal with the number \(number)") }
    self.number = number
  }

  /// `SIGTERM`: the process is asked to end.
  public static let terminate = ProcessSignal(number: SIGTERM)

  /// `SIGINT`: a person has interrupted the process.
  public static let interrupt = ProcessSignal(number: SIGINT)

  /// `SIGHUP`: the terminal was closed, or a daemon is asked to read its settings again.
  public static let hangup = ProcessSignal(number: SIGHUP)

  /// `SIGUSR1`, whose meaning is up to the program.
  public static let user1 = ProcessSignal(number: SIGUSR1)

  /// `SIGUSR2`, whose meaning is up to the program.
  public static let user2 = ProcessSignal(number: SIGUSR2)

  /// The name of the signal, such as `SIGTERM`.
  public var description: String {
    switch number {
    case SIGTERM: "SIGTERM"
    case SIGINT: "SIGINT"
    case SIGHUP: "SIGHUP"
    case SIGUSR1: "SIGUSR1"
    case SIGUSR2: "SIGUSR2"
    case SIGQUIT: "SIGQUIT"
    case SIGCHLD: "SIGCHLD"
    case SIGWINCH: "SIGWINCH"
    default: "signal \(number)"
    }
  }
}

/// The handler of the process, and the pipe that it writes into.
private final class SignalTrap: Sendable {
  let signals = Emitter<ProcessSignal, Never>()

  private let source: FileDescriptorSource
  private let subscription = Guarded<SignalSubscription?>(nil)
  private let counts = Guarded<[ProcessSignal: Int]>([:])

  private static let trap = Guarded<SignalTrap?>(nil)

  /// Returns the only trap, whose pipe stays open for the rest of the process.
  static func shared() throws(FileObserverError) -> SignalTrap {
    try trap.withLock { trap throws(FileObserverError) in
      if let trap { return trap }
      let made = try SignalTrap()
      trap = made
      return made
    }
  }

  private init() throws(FileObserverError) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw FileObserverError(errno, "create", "a pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    do throws(FileObserverError) {
      source = try FileDescriptorSource(fileDescriptor: ends[0], closesDescriptor: true)
    } catch {
      for end in ends { close(end) }
      throw error
    }
    HandlerState.output.store(ends[1], ordering: .releasing)
    let subscription = source.sink { [weak self, input = ends[0]] _ in self?.deliver(input) }
    self.subscription.withLock { $0 = subscription }
  }

  private func deliver(_ input: CInt) {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while read(input, buffer.baseAddress, buffer.count) == buffer.count {}
    }
    let arrived = HandlerState.pending.exchange(0, ordering: .acquiringAndReleasing)
    for number in 1...63 where arrived & (1 << UInt64(number)) != 0 {
      signals.send(ProcessSignal(number: CInt(number)))
    }
  }

  /// Installs the handler, unless another subscriber has.
  func retain(_ signal: ProcessSignal) {
    counts.withLock { counts in
      counts[signal, default: 0] += 1
      if counts[signal] == 1 { HandlerState.install(signal.number) }
    }
  }

  /// Restores the earlier handler after the last subscriber.
  func release(_ signal: ProcessSignal) {
    counts.withLock { counts in
      counts[signal, default: 1] -= 1
      if counts[signal] == 0 { HandlerState.restore(signal.number) }
    }
  }
}

/// The state that the handler uses, which may run on any thread between any two instructions.
private enum HandlerState {
  static let pending = Atomic<UInt64>(0)
  static let output = Atomic<CInt>(-1)

  /// The earlier actions by number.
  // Sound: an element is written before the handler of its signal is installed, and kept for the rest of the process.
  nonisolated(unsafe) static let earlier: UnsafeMutablePointer<sigaction> = {
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
    actions.initialize(repeating: sigaction(), count: 64)
    return actions
  }()

  /// The number of threads that can call the earlier handler of one signal at the same time and be recognized.
  private static var callersPerSignal: Int { 16 }

  /// The identities of the threads that call the earlier handler of each signal; 0 is a free place.
  // Sound: all access is atomic, and the memory is kept for the rest of the process.
  nonisolated(unsafe) private static let callers: UnsafeMutablePointer<Atomic<UInt>> = {
    let count = 64 * callersPerSignal
    let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { (places + index).initialize(to: Atomic(0)) }
    return places
  }()

  /// Returns whether this thread is calling the earlier handler of a signal.
  ///
  /// A handler that a library installed over this one may call this one. After another subscription, it is the earlier
  /// handler of this one, too, and the two would call each other without end.
  static func isCallingEarlier(_ number: CInt) -> Bool {
    let thread = ThreadIdentity.current.address
    let places = callers + Int(number) * callersPerSignal
    var index = 0
    while index < callersPerSignal {
      if places[index].load(ordering: .relaxed) == thread { return true }
      index += 1
    }
    return false
  }

  /// Calls the earlier handler of a signal.
  static func callEarlier(
    _ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
  ) {
    let thread = ThreadIdentity.current.address
    let places = callers + Int(number) * callersPerSignal
    var index = 0
    while index < callersPerSignal {
      if places[index].compareExchange(expected: 0, desired: thread, ordering: .relaxed).exchanged { break }
      index += 1
    }
    callSignalHandler(earlier + Int(number), number, info, context)
    if index < callersPerSignal { places[index].store(0, ordering: .relaxed) }
  }

  static func install(_ number: CInt) {
    // All of it is initialized before the handler uses it.
    _ = (pending.load(ordering: .relaxed), output.load(ordering: .relaxed), callers[0].load(ordering: .relaxed))
    sigaction(number, nil, earlier + Int(number))
    _ = installSignalHandler(number, handleSignal, earlier + Int(number))
  }

  static func restore(_ number: CInt) {
    restoreSignalHandler(number, handleSignal, earlier + Int(number))
  }
}

/// The handler: it uses only functions that may be called in one.
private func handleSignal(_ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?)
{
  // The outer call has recorded the signal. An earlier handler that is left by a jump counts as running for ever.
  if HandlerState.isCallingEarlier(number) { return }
  let problem = errno
  HandlerState.pending.bitwiseOr(1 << UInt64(number), ordering: .acquiringAndReleasing)
  var byte: UInt8 = 0
  // If the pipe is full, its reader is about to look.
  _ = write(HandlerState.output.load(ordering: .acquiring), &byte, 1)
  HandlerState.callEarlier(number, info, context)
  errno = problem
}
