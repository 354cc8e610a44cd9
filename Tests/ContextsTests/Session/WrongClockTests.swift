import Foundation
import TestSupport
import Testing

@testable import Contexts

@Suite("Wrong clocks")
struct WrongClockTests {
  let clock = TestClock()

  private func process() -> ScriptedProcess {
    let process = ScriptedProcess(archive: MemoryArchive(), secrets: MemorySecretStore(), clock: clock)
    process.restore()
    return process
  }

  @Test
  func `a session that has expired on arrival is reported with the difference`() {
    let process = process()
    process.ask(SessionEvent.login)
    process.answerLogin(0, .success(Account(expiration: .beginning - 3000)))
    #expect(process.status?.authState == .presession)
    #expect(process.status?.lastError == .expiredOnArrival(by: .seconds(3000)))
    process.answerRefresh(1, user: Account(token: "t1", expiration: .beginning - 3600))
    #expect(process.status?.authState == .presession)
    #expect(process.status?.lastError == .expiredOnArrival(by: .seconds(3600)))
    clock.advance(by: .seconds(2))
    process.answerRefresh(2, user: Account(token: "t2", expiration: .beginning + 3600))
    #expect(process.status?.lastError == nil)
  }

  @Test(arguments: [-3600.0, 3600])
  func `a session with the server's time expires by the server's clock`(_ difference: TimeInterval) {
    let process = process()
    process.ask(SessionEvent.login)
    let now = Date.beginning + difference
    process.answerLogin(0, .success(Account(expiration: now + 600, issued: now)))
    #expect(process.status?.authState == .authenticated)
    #expect(process.status?.lastError == nil)
    clock.advance(by: .seconds(539))
    #expect(process.server.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(process.server.requests.count == 2, "a minute before it expires")
    clock.advance(by: .seconds(60))
    #expect(process.status?.authState == .presession)
    process.answerRefresh(1, user: Account(token: "t1", expiration: now + 1200, issued: now + 600))
    #expect(process.status?.authState == .authenticated)
  }

  @Test
  func `a renewal that returns the same session does not turn the server's clock back`() {
    let process = process()
    process.ask(SessionEvent.login)
    let account = Account(expiration: .beginning + 4200, issued: .beginning + 3600)
    process.answerLogin(0, .success(account))
    clock.advance(by: .seconds(540))
    process.answerRefresh(1, user: account)
    #expect(process.status?.authState == .authenticated)
    clock.advance(by: .seconds(60))
    #expect(process.status?.authState == .presession)
  }
}
