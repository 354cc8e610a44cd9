import Dispatch
import Foundation
import Synchronization

/// A closure that runs repeatedly on a separate thread, until it is stopped or throws.
final class Loop: @unchecked Sendable {  // Sound: the result is written before `done` is signalled and read after.
  private let isStopped = Atomic<Bool>(false)
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<Int, any Error> = .success(0)

  /// Starts the loop.
  ///
  /// - Parameter body: Receives the number of the round, beginning with 1.
  init(_ body: @escaping @Sendable (Int) throws -> Void) {
    Thread { self.run(body) }.start()
  }

  /// Ends the loop, waits for it, and returns the number of rounds.
  func stop() throws -> Int {
    isStopped.store(true, ordering: .releasing)
    done.wait()
    return try result.get()
  }

  private func run(_ body: (Int) throws -> Void) {
    defer { done.signal() }
    var round = 0
    while !isStopped.load(ordering: .acquiring) {
      round += 1
      do {
        try body(round)
      } catch {
        return result = .failure(error)
      }
    }
    result = .success(round)
  }
}
