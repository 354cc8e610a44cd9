import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Changing the user")
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
  func `a changed user is shown, archived with its secret, and found at the next launch`() async throws {
    let new = Account(name: "Countess", token: "t9", expiration: Date(timeIntervalSince1970: 4_000_000_000))
    do {
      let context = try await loggedIn()
      let session = context.current.value
      try await context.update { $0 = new }
      #expect(context.user.value == new)
      #expect(session.user.value == new)
      #expect(context.current.value == session, "the context stays")
    }
    let context = try root.context()
    #expect(try await context.setup(authDelegate: delegate) == new)
  }

  @Test
  func `a user cannot be changed into another one`() async throws {
    let context = try await loggedIn()
    await #expect(throws: ContextError.differentUser(expected: "ada", found: "eve")) {
      try await context.update { $0 = Account(id: "eve") }
    }
    #expect(context.user.value == Account())
    #expect(try context.engine.vault.users().map(\.id) == ["ada"])
  }

  @Test
  func `a user that is not encoded as an object cannot log in, because renewals could not be merged`() async throws {
    struct Name: SessionUser {
      let id: String

      init(id: String) { self.id = id }
      init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
      }
    }
    let context = try StandardAppContext<Name>(root: root.directory.url)
    try await context.setup(authDelegate: NobodysDelegate<Name>())
    do {
      try await context.startAppContext(with: Name(id: "ada"))
      Issue.record("It was archived.")
    } catch ContextError.unencodableUser("ada", _) {
      #expect(context.user.value == nil)
    }
  }

  @Test
  func `a change without a logged-in user throws`() async throws {
    let context = try root.context()
    await #expect(throws: ContextError.notSetUp) { try await context.update { $0.name = "Eve" } }
    try await context.setup(authDelegate: delegate)
    await #expect(throws: ContextError.notAuthenticated) { try await context.update { $0.name = "Eve" } }
    #expect(context.user.value == nil)
  }

  @Test
  func `changing a user to an expired session makes it presession, and renews it`() async throws {
    let context = try await loggedIn()
    let states = context.authState.recorded()
    try await context.update { $0.expiration = Date(timeIntervalSinceNow: -1) }
    try await states.wait(for: .presession)
    try await context.user.firstValue("the renewed session") { $0?.token == "t0+" }
  }
}
