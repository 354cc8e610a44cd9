import CLibrary
import FileSignals
import Signals
import Synchronization
import TestSupport
import Testing

/// The number of calls of a handler that the program has installed itself.
private let ownCalls = Atomic(0)

/// The handler that ``callChained(_:)`` calls, and the number of its calls.
nonisolated(unsafe) private var chained: (@convention(c) (CInt) -> Void)?
private let chainedCalls = Atomic(0)

/// A handler that calls the one over which it was installed, as those of libraries do.
private func callChained(_ number: CInt) {
  chainedCalls.add(1, ordering: .relaxed)
  chained?(number)
}

/// Each test has a signal of its own, because handlers belong to the process.
@Suite("Signals that the system sends to the process", .patient)
struct ProcessSignalsTests {
  private func handler(of number: CInt) -> sigaction {
    var action = sigaction()
    _ = sigaction(number, nil, &action)
    return action
  }

  @Test
  func `a signal is delivered to each subscriber, and does not end the process`() async throws {
    let first = try ProcessSignals([.user1, .hangup]).recorded()
    let second = try ProcessSignals([.user1]).recorded()
    kill(getpid(), SIGUSR1)
    try await first.wait(for: .user1)
    try await second.wait(for: .user1)
    kill(getpid(), SIGHUP)
    try await first.wait(for: .hangup)
    #expect(second.elements == [.user1])
  }

  @Test
  func `an earlier handler is called meanwhile, and restored at the end`() async throws {
    let number = SIGUSR2
    signal(number) { _ in ownCalls.add(1, ordering: .relaxed) }
    let received = Recorder<ProcessSignal>()
    var subscription: SignalSubscription? = try ProcessSignals([.user2]).sink { received.record($0) }
    kill(getpid(), number)
    try await received.wait(for: .user2)
    #expect(ownCalls.load(ordering: .relaxed) == 1)
    subscription?.cancel()
    subscription = nil
    kill(getpid(), number)
    while ownCalls.load(ordering: .relaxed) < 2 { await Task.yield() }
    #expect(received.elements == [.user2])
    signal(number, SIG_DFL)
  }

  @Test
  func `a handler that was installed later stays`() throws {
    let subscription = try ProcessSignals([ProcessSignal(number: SIGWINCH)]).sink { _ in }
    signal(SIGWINCH, SIG_IGN)
    let later = handler(of: SIGWINCH)
    subscription.cancel()
    #expect(handler(of: SIGWINCH).sa_flags == later.sa_flags)
    #expect(later.sa_flags & SA_SIGINFO == 0)
    signal(SIGWINCH, SIG_DFL)
  }

  @Test
  func `a later handler that calls this one does not end the process after another subscription`() async throws {
    await #expect(processExitsWith: .success) {
      let first = try ProcessSignals([.user1]).sink { _ in }
      chained = signal(SIGUSR1, callChained)
      let isChained = chained != nil
      #expect(isChained)
      // The handler stays below the later one, which is then the earlier handler of the next subscription.
      first.cancel()
      let received = try ProcessSignals([.user1]).recorded()
      kill(getpid(), SIGUSR1)
      try await received.wait(for: .user1)
      while chainedCalls.load(ordering: .relaxed) == 0 { await Task.yield() }
      // Another signal is delivered as the first one was.
      kill(getpid(), SIGUSR1)
      try await received.wait { $0.count == 2 }
      while chainedCalls.load(ordering: .relaxed) < 2 { await Task.yield() }
      #expect(received.elements.count == 2 && chainedCalls.load(ordering: .relaxed) == 2)
    }
  }

  #if os(Linux)
    @Test
    func `many signals at once lose no kind, and a subscriber may end its subscription`() async throws {
      let signals = Set((CInt(40)...47).map { ProcessSignal(number: $0) })
      // The system keeps all signals with these numbers, and may deliver the last ones after the test.
      for ignored in signals { signal(ignored.number, SIG_IGN) }
      let received = try ProcessSignals(signals).recorded()
      let first = Recorder<ProcessSignal>()
      let subscription = try ProcessSignals(signals).prefix(1).sink { first.record($0) }
      for _ in 0..<200 { for signal in signals { kill(getpid(), signal.number) } }
      try await received.wait { Set($0) == signals }
      try await first.wait { $0.count == 1 }
      withExtendedLifetime(subscription) {}
    }
  #endif
}
