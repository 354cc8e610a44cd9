import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("A user who is replaced by a newer version")
struct UserUpdateTests {
  let root: Root
  let delegate = TestDelegate(trusts: true)

  init() throws {
    root = try Root()
  }

  private func loggedIn() async throws -> StandardAppContext<Account> {
    let context = try root.context()
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    return context
  }

  @Test
  func `a replaced user is shown, archived with its secret, and found by the next start`() async throws {
    let new = Account(name: "Countess", token: "t9", expiration: Date(timeIntervalSince1970: 4_000_000_000))
    do {
      let context = try await loggedIn()
      let session = context.current.value
      try await context.update(user: new)
      #expect(context.user.value == new)
      #expect(session.user.value == new)
      #expect(context.current.value == session, "the context stays")
    }
    let context = try root.context()
    #expect(try await context.setup(authDelegate: delegate) == new)
  }

  @Test
  func `a user is not replaced by another one, and nothing changes`() async throws {
    let context = try await loggedIn()
    await #expect(throws: ContextError.differentUser(expected: "ada", found: "eve")) {
      try await context.update(user: Account(id: "eve"))
    }
    #expect(context.user.value == Account())
    #expect(try context.engine.vault.users().map(\.id) == ["ada"])
  }

  @Test
  func `nobody is replaced while nobody is logged in`() async throws {
    let context = try root.context()
    await #expect(throws: ContextError.notSetUp) { try await context.update(user: Account()) }
    try await context.setup(authDelegate: delegate)
    await #expect(throws: ContextError.notAuthenticated) { try await context.update(user: Account()) }
    #expect(context.user.value == nil)
  }

  @Test
  func `a replaced user whose session is over is presession, and renewed`() async throws {
    let context = try await loggedIn()
    let states = context.authState.recorded()
    try await context.update(user: Account(expiration: Date(timeIntervalSinceNow: -1)))
    try await states.wait(for: .presession)
    try await context.user.firstValue("the renewed session") { $0?.token == "t0+" }
  }
}
