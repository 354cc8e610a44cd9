import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Setting a delegate late")
struct LateDelegateTests {
  let clock = TestClock()

  private func loggedIn() -> ScriptedProcess {
    let process = ScriptedProcess(archive: MemoryArchive(), secrets: MemorySecretStore(), clock: clock)
    process.restore()
    process.ask { .start(Account(), $0, replacing: false) }
    return process
  }

  private var noDelegate: ContextError { .noDelegate(operation: "renew the session") }

  @Test
  func `a renewal that failed without a delegate is repeated when one is set or the process resumes`() {
    let process = loggedIn()
    for (round, event) in [SessionEvent<Account>.delegateSet, .wake(isResuming: true)].enumerated() {
      process.ask { .refresh($0, isForced: false) }
      process.answerRefresh(round * 2, .failed(noDelegate))
      #expect(process.status?.lastError == noDelegate)
      clock.advance(by: .seconds(3600))
      #expect(process.server.requests.count == round * 2 + 1)
      process.engine.submit(event)
      #expect(process.status?.activity == .refreshing)
      process.answerRefresh(round * 2 + 1, user: Account(token: "t\(round + 1)"))
      #expect(process.status?.user?.token == "t\(round + 1)")
      #expect(process.status?.lastError == nil)
      process.engine.submit(.delegateSet)
      #expect(process.status?.activity == .idle, "there is nothing to renew")
    }
  }

  @Test
  func `a delegate set while a renewal fails without one is asked exactly once`() throws {
    let process = loggedIn()
    let call = process.ask { .refresh($0, isForced: false) }
    process.engine.submit(.delegateSet)
    process.answerRefresh(0, .failed(noDelegate))
    #expect(process.answers(to: call).isEmpty)
    #expect(process.server.requests.count == 2)
    process.answerRefresh(1, .failed(noDelegate))
    #expect(process.answers(to: call) == [.failure(noDelegate)])
    #expect(process.status?.activity == .idle)
    #expect(process.server.requests.count == 2)
  }

  @Test
  func `a delegate can be replaced without end`() {
    let controller = AuthController<Account>()
    let depths = Guarded<Set<Int>>([])
    let subscription = controller.settings.sink { _ in depths.withLock { _ = $0.insert(stackDepth()) } }
    let delegate = TestDelegate()
    for _ in 0..<100 { controller.delegate = delegate }
    #expect(depths.withLock { $0.count } == 1)
    subscription.cancel()
  }
}
