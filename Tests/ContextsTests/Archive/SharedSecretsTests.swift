import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Secrets of several archives")
struct SharedSecretsTests {
  let root: Root
  let delegate = TestDelegate(trusts: true)

  init() throws {
    root = try Root()
  }

  @Test(arguments: [false, true])
  func `another archive in the same root is an error, and ends no session`(_ isFileFirst: Bool) async throws {
    do {
      let context = try root.context(file: isFileFirst)
      try await context.setup(authDelegate: delegate)
      try await context.triggerLogin()
    }
    let (first, second) = isFileFirst ? ("session.json", "session.sqlite") : ("session.sqlite", "session.json")
    let error = ContextError.otherArchive(
      path: root.directory.file(first).path, configured: root.directory.file(second).path)
    do {
      let mistaken = try root.context(file: !isFileFirst)
      await #expect(throws: error) { try await mistaken.setup(authDelegate: delegate) }
      #expect(mistaken.authState.value == .unauthenticated)
      #expect(mistaken.lastError.value == error)
      await #expect(throws: error) { try await mistaken.startAppContext(with: Account(id: "grace")) }
      await #expect(throws: error) { try await mistaken.cleanHistoryUserList() }
    }
    let context = try root.context(file: isFileFirst)
    #expect(try await context.setup(authDelegate: delegate) == Account())
  }

  @Test
  func `an archive that was never written does not block another one`() async throws {
    _ = try await root.context().setup(authDelegate: delegate)
    let context = try root.context(file: true)
    #expect(try await context.setup(authDelegate: delegate) == nil)
    try await context.triggerLogin()
  }

  @Test
  func `a second archive outside the root does not affect the secrets of the first`() async throws {
    let outside = try TemporaryDirectory()
    func context(_ name: String) throws -> StandardAppContext<Account> {
      try StandardAppContext(
        root: root.directory.url, configuration: ContextConfiguration(archiveLocation: .file(outside.file(name))))
    }
    let first = try context("first.json")
    try await first.setup(authDelegate: delegate)
    try await first.triggerLogin()
    let second = try context("second.json")
    try await second.setup(authDelegate: delegate)
    try await second.startAppContext(with: Account(token: "hers"))
    #expect(try await context("first.json").setup(authDelegate: delegate)?.token == "t0")
    #expect(try await context("second.json").setup(authDelegate: delegate)?.token == "hers")
  }

  @Test
  func `two roots with one store keep their own secrets, and leave others alone`() async throws {
    let secrets = MemorySecretStore()
    secrets.write(Data("the app's".utf8), forKey: "password")
    secrets.write(Data("the app's".utf8), forKey: "session-1")
    let other = try Root()
    for round in 1...3 {
      for (root, token) in [(root, "a"), (other, "b")] {
        let context = try root.context(secrets: secrets)
        try await context.setup(authDelegate: delegate)
        if round == 1 { try await context.startAppContext(with: Account(token: token)) }
        try await context.refreshAuthentication()
        #expect(context.user.value?.token == token + String(repeating: "+", count: round))
      }
    }
    #expect(secrets.keys().count == 4)
    let context = try root.context(secrets: secrets)
    try await context.setup(authDelegate: delegate)
    try await context.logout()
    #expect(secrets.keys().count == 3)
    #expect(secrets.read(forKey: "password") != nil && secrets.read(forKey: "session-1") != nil)
  }

  @Test
  func `the secrets of a moved root are replaced by the next renewal`() async throws {
    let secrets = MemorySecretStore()
    let place = root.directory.file("first")
    func context(_ url: URL) throws -> StandardAppContext<Account> {
      try StandardAppContext(root: url, configuration: ContextConfiguration(secrets: secrets))
    }
    do {
      let first = try context(place)
      try await first.setup(authDelegate: delegate)
      try await first.triggerLogin()
      first.engine.vault.archive.close()
    }
    let moved = root.directory.file("moved")
    try FileManager.default.moveItem(at: place, to: moved)
    let context = try context(moved)
    #expect(try await context.setup(authDelegate: delegate) == Account())
    try await context.refreshAuthentication()
    #expect(secrets.keys().count == 1)
    try await context.logout()
    #expect(secrets.keys() == [])
  }
}
