import Foundation
import Signals
import Synchronization
import TestSupport

/// A scheduler that pauses the threads of a random program, each at any instruction.
///
/// It sends them a signal whose handler sleeps. A pause that the code itself called would hide faults in the order of
/// instructions, because a compiler moves no instruction across the call.
final class Pauser: Sendable {
  private static let number = SIGURG

  /// The duration of the next pause.
  private static let microseconds = Atomic<UInt32>(0)

  private static let isInstalled: Bool = {
    signal(number) { _ in
      let error = errno
      usleep(Pauser.microseconds.load(ordering: .relaxed))
      errno = error
    }
    return true
  }()

  private let lock = Lock()
  // Sound: the lock guards both. A thread in the list has not ended, because it first removes itself.
  private nonisolated(unsafe) var threads: [pthread_t] = []
  private nonisolated(unsafe) var unfinished: Int

  /// Creates a scheduler of a number of threads.
  init(of count: Int) {
    _ = Self.isInstalled
    unfinished = count
  }

  /// Calls a closure on a thread that may be paused until it returns.
  func run(_ body: () -> Void) {
    let thread = pthread_self()
    lock.withLock { threads.append(thread) }
    body()
    lock.withLock {
      threads.removeAll { pthread_equal($0, thread) != 0 }
      unfinished -= 1
    }
  }

  /// Pauses threads until all have ended.
  func pauseThreads(_ chance: inout Chance) {
    while true {
      let isOver = lock.withLock {
        guard let thread = threads.randomElement(using: &chance) else { return unfinished == 0 }
        Self.microseconds.store(UInt32(1 << chance.number(below: 9)), ordering: .relaxed)
        pthread_kill(thread, Self.number)
        return false
      }
      if isOver { return }
      usleep(UInt32(20 + chance.number(below: 100)))
    }
  }
}

/// Runs a closure on several threads that are paused at random, and returns when all have ended.
func withPausedThreads(_ count: Int, seed: UInt64, _ body: @escaping @Sendable (_ index: Int) -> Void) {
  let pauser = Pauser(of: count)
  withThreads(count + 1) { index in
    if index < count { return pauser.run { body(index) } }
    var chance = Chance(seed: seed)
    pauser.pauseThreads(&chance)
  }
}
