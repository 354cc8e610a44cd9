import Foundation
import Signals
import TestSupport
import Testing

@testable import FileSignals

@Suite("Hooks for the steps of suspensions", .patient)
struct SuspensionHookTests {
  /// A closure that the lock owns directly is wrapped once more at each access, until the stack is too small for it.
  @Test func `are called at the same depth each time`() async throws {
    let folder = try TemporaryDirectory()
    let directory = folder.url
    let suspensions = Suspensions()
    let depths = Guarded<Set<Int>>([])
    suspensions.onStep { step in
      guard step == .preparing else { return }
      depths.withLock { _ = $0.insert(stackDepth()) }
    }
    try await onThread {
      for _ in 0..<100 {
        try suspensions.suspend(directory, within: .seconds(60))
        try suspensions.resume(directory, within: .seconds(60))
      }
    }
    #expect(depths.withLock { $0.count } == 1)
  }
}
