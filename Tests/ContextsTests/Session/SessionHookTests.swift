import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Session hooks", .patient)
struct SessionHookTests {
  let root: Root
  let record = Recorder<String>()

  init() throws {
    root = try Root()
  }

  private func hook(_ name: String) -> SessionHook<Account> {
    let record = record
    return SessionHook(
      beforeLogin: { record.record("\(name) before login") },
      afterLogin: { record.record("\(name) after login \($0.id)") },
      beforeRenewal: { record.record("\(name) before renewal \($0.token)") },
      afterRenewal: { record.record("\(name) after renewal \($0.token)") },
      beforeLogout: { record.record("\(name) before logout \($0.id)") },
      afterLogout: { record.record("\(name) after logout \($0.id)") })
  }

  @Test
  func `hooks run in order around login, renewal and logout, and end in reverse order`() async throws {
    let context = try root.context()
    let second = context.addHook(hook("b"), order: 1)
    let first = context.addHook(hook("a"))
    let delegate = TestDelegate(
      trusts: true,
      login: { [record] in
        record.record("delegate")
        return Account()
      })
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    try await context.refreshAuthentication()
    try await context.logout()
    #expect(
      record.elements == [
        "a before login", "b before login", "delegate", "a after login ada", "b after login ada",
        "a before renewal t0", "b before renewal t0", "a after renewal t0+", "b after renewal t0+",
        "b before logout ada", "a before logout ada", "b after logout ada", "a after logout ada",
      ])
    second.cancel()
    first.cancel()
    try await context.triggerLogin()
    #expect(record.elements.last == "delegate")
  }

  @Test
  func `a hook sees the state that subscribers have already received, and runs before the call returns`() async throws {
    let context = try root.context()
    let token = context.addHook(
      SessionHook(
        afterLogin: { [record, user = context.user] in record.record("login \(user.value == $0)") },
        afterLogout: { [record, user = context.user] _ in record.record("logout \(user.value == nil)") }))
    let delegate = TestDelegate(trusts: true)
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    #expect(record.elements == ["login true"])
    try await context.logout()
    #expect(record.elements == ["login true", "logout true"])
    token.cancel()
  }

  @Test
  func `a restored, reopened, replaced or rejected user has one pair of calls each`() async throws {
    try await {
      let (context, delegate) = (try root.context(), TestDelegate(trusts: true))
      try await context.setup(authDelegate: delegate)
      try await context.triggerLogin()
    }()
    let context = try StandardAppContext<Account>(
      root: root.directory.url, configuration: ContextConfiguration(policy: SessionPolicy(keepsSessions: true)))
    let token = context.addHook(
      SessionHook(
        afterLogin: { [record] in record.record("+\($0.id)") },
        afterLogout: { [record] in record.record("-\($0.id)") }))
    let delegate = TestDelegate(trusts: true, renew: { _ in throw AuthRejection(reason: "over") })
    try await context.setup(authDelegate: delegate)
    try await context.startAppContext(with: Account(id: "grace", token: "g"), replacing: true)
    try await context.reopen(userID: "ada")
    await #expect(throws: ContextError.self) { try await context.refreshAuthentication() }
    #expect(record.elements == ["+ada", "-ada", "+grace", "-grace", "+ada", "-ada"])
    token.cancel()
  }

  @Test
  func `a logout waits for the hooks, which may use the session`() async throws {
    let context = try root.context()
    let delegate = TestDelegate(trusts: true)
    let token = context.addHook(
      SessionHook(beforeLogout: { [record, weak context] user in
        do {
          record.record("flushed with \(try await context?.refreshAuthentication().token ?? "nothing")")
        } catch {
          record.record("\(error)")
        }
      }))
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    try await context.logout()
    #expect(record.elements == ["flushed with t0+"])
    #expect(context.user.value == nil)
    token.cancel()
  }

  @Test
  func `a failed login has no other call`() async throws {
    let context = try root.context()
    let token = context.addHook(hook("a"))
    let delegate = TestDelegate(trusts: true, login: { throw AuthRejection(reason: "wrong password") })
    try await context.setup(authDelegate: delegate)
    await #expect(throws: ContextError.self) { try await context.triggerLogin() }
    #expect(record.elements == ["a before login"])
    token.cancel()
  }
}
