import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Removal of tokens")
struct RemovedTokenTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  private func openContext(file: Bool) throws -> StandardAppContext<OpenAccount> {
    try StandardAppContext(
      root: root.directory.url,
      configuration: ContextConfiguration(
        archiveLocation: file ? .file(root.directory.file("session.json")) : .database))
  }

  private func filesWithToken() throws -> [String] {
    try DirectoryBytes.files(below: root.directory.url, containing: OpenServer.token)
  }

  @Test(arguments: [false, true])
  func `after a logout, no file contains a token encoded with the user`(_ file: Bool) async throws {
    let context = try openContext(file: file)
    let server = OpenServer()
    try await context.setup(authDelegate: server)
    try await context.triggerLogin()
    for _ in 1...3 { try await context.refreshAuthentication(force: true) }
    try await context.update { $0.name = "Countess" }
    #expect(try !filesWithToken().isEmpty)
    // The context stays open: closing the database would remove its log.
    try await context.logout()
    #expect(try filesWithToken() == [])
    try await context.historyUsers.firstValue("the identity") { history in
      history.map(\.id) == ["ada"] && history.allSatisfy { $0.user == .success(nil) }
    }
  }

  @Test(arguments: [false, true])
  func `after a logout, no file contains a token kept as a secret`(_ file: Bool) async throws {
    let context = try root.context(file: file)
    let delegate = TestDelegate(login: { Account(token: OpenServer.token) })
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    try await context.refreshAuthentication()
    #expect(try filesWithToken().allSatisfy { $0.hasPrefix("secrets/") })
    try await context.logout()
    #expect(try filesWithToken() == [])
  }

  @Test(arguments: [false, true])
  func `the remembered part of a user is in the history after a logout and a restart`(_ file: Bool) async throws {
    for start in 1...2 {
      let context = try StandardAppContext<Remembered>(
        root: root.directory.url,
        configuration: ContextConfiguration(
          archiveLocation: file ? .file(root.directory.file("session.json")) : .database))
      try await context.setup(authDelegate: NobodysDelegate<Remembered>())
      if start == 1 {
        try await context.startAppContext(with: Remembered(id: "ada", name: "Ada", token: OpenServer.token))
        try await context.logout()
      }
      let users = try await context.historyUsers.firstValue("the history") { !$0.isEmpty }
      #expect(try users.map { try $0.user.get() } == [Remembered(id: "ada", name: "Ada", token: "")])
    }
    #expect(try filesWithToken() == [])
  }

  private struct Remembered: SessionUser, Equatable {
    let id: String
    var name: String
    var token: String

    var remembered: Remembered? { Remembered(id: id, name: name, token: "") }
  }

  @Test(arguments: [false, true])
  func `a user whose remembered part cannot be encoded leaves no token behind`(_ file: Bool) async throws {
    let context = try StandardAppContext<Unencodable>(
      root: root.directory.url,
      configuration: ContextConfiguration(
        archiveLocation: file ? .file(root.directory.file("session.json")) : .database))
    try await context.setup(authDelegate: NobodysDelegate<Unencodable>())
    try await context.startAppContext(with: Unencodable(id: "ada", token: OpenServer.token))
    #expect(try !filesWithToken().isEmpty)
    try await context.logout()
    #expect(try filesWithToken() == [])
  }

  private struct Unencodable: SessionUser, Equatable {
    let id: String
    var token: String
    var score = 0.0

    var remembered: Unencodable? { Unencodable(id: id, token: "", score: .nan) }
  }

  @Test(arguments: [false, true])
  func `a replaced user leaves no token behind`(_ file: Bool) async throws {
    let context = try openContext(file: file)
    let server = OpenServer()
    try await context.setup(authDelegate: server)
    try await context.triggerLogin()
    try await context.startAppContext(with: OpenAccount(id: "grace", token: "hers"), replacing: true)
    #expect(try filesWithToken() == [])
  }

  @Test
  func `renewals leave no locks behind, and remove leftover ones`() async throws {
    let context = try root.context()
    let delegate = TestDelegate(login: { Account(token: OpenServer.token) })
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    let shared = root.directory.url.appending(path: "secrets/.shared")
    for name in ["session-900.lock", "session-901.lock"] { try Data().write(to: shared.appending(path: name)) }
    // The leftover of a process killed while it wrote a secret.
    try Data(OpenServer.token.utf8).write(to: shared.appending(path: "session-900.tmp"))
    for _ in 1...10 { try await context.refreshAuthentication(force: true) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path).count == 1)
    try await context.logout()
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path) == [])
    #expect(try filesWithToken() == [])
  }
}
