import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

@Suite("Archives that cannot be read")
struct DamagedArchiveTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  private func contents(where isWanted: (String) -> Bool) throws -> [Data] {
    try FileManager.default.contentsOfDirectory(atPath: root.directory.url.path).filter(isWanted).sorted()
      .map { try Data(contentsOf: root.directory.file($0)) }
  }

  @Test(arguments: [false, true], ["garbage", "{\"version\":99,\"value\":{}}"])
  func `an archive that is damaged or of a newer version is told, and kept when somebody logs in`(
    _ file: Bool, _ text: String
  ) async throws {
    let garbage = Data((text + String(repeating: " ", count: 4096)).utf8)
    let archive = root.directory.file(file ? "session.json" : "session.sqlite")
    try garbage.write(to: archive)
    let delegate = TestDelegate(trusts: true)
    do {
      let context = try root.context(file: file)
      #expect(try await context.setup(authDelegate: delegate) == nil)
      #expect(context.authState.value == .unauthenticated)
      guard case .archive(let path, _, _) = context.lastError.value else {
        Issue.record("\(String(describing: context.lastError.value))")
        return
      }
      #expect(path == archive.path)
      #expect(try Data(contentsOf: archive) == garbage)
      try await context.triggerLogin()
    }
    #expect(try contents { $0.contains("kept-1") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == [garbage])
    let context = try root.context(file: file)
    #expect(try await context.setup(authDelegate: delegate)?.id == "ada")
  }

  @Test
  func `a user whose secret is gone is not restored, and told`() async throws {
    let secrets = MemorySecretStore()
    let delegate = TestDelegate(trusts: true)
    do {
      let context = try root.context(secrets: secrets)
      try await context.setup(authDelegate: delegate)
      try await context.triggerLogin()
    }
    let key = try #require(secrets.keys().first)
    secrets.remove(forKey: key)
    let context = try root.context(secrets: secrets)
    #expect(try await context.setup(authDelegate: delegate) == nil)
    #expect(context.lastError.value == .secret(.missing(key: key)))
  }

  @Test
  func `the secret is in no archive, and one that a crash has left goes with the next write`() async throws {
    let secrets = FileSecretStore(directory: root.directory.url.appending(path: "secrets"))
    let context = try root.context(file: true)
    let delegate = TestDelegate(login: { Account(token: "TopSecret") })
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    let archived = String(decoding: try Data(contentsOf: root.directory.file("session.json")), as: UTF8.self)
    #expect(!archived.contains("TopSecret"))
    try secrets.write(Data("stray".utf8), forKey: context.engine.vault.keyPrefix + "900")
    try await context.refreshAuthentication()
    #expect(try secrets.keys().count == 1)
    try await context.logout()
    #expect(try secrets.keys().isEmpty)
  }

  @Test
  func `who logs in after the archive was lost does not get the context and databases of whoever was there`()
    async
    throws
  {
    let context = try root.context(file: true)
    try await context.setup(authDelegate: NobodysDelegate<Account>())
    try await context.startAppContext(with: Account(id: "ada"))
    let before = context.current.value
    try FileManager.default.removeItem(at: root.directory.file("session.json"))
    try await context.startAppContext(with: Account(id: "grace"), replacing: true)
    #expect(context.current.value.id == "grace")
    #expect(context.current.value.store.persistenceDirectory != before.store.persistenceDirectory)
    #expect(before.authState.value == .unauthenticated)
  }

  @Test
  func `what lies among the secrets and cannot be removed keeps nobody from being restored`() async throws {
    let delegate = TestDelegate(trusts: true)
    let places = root.directory.url.appending(path: "secrets")
    do {
      let context = try root.context(secrets: FileSecretStore(directory: places))
      try await context.setup(authDelegate: delegate)
      try await context.triggerLogin()
    }
    try FileManager.default.createDirectory(
      at: places.appending(path: "lost+found"), withIntermediateDirectories: false)
    let context = try root.context(secrets: FileSecretStore(directory: places))
    #expect(try await context.setup(authDelegate: delegate)?.id == "ada")
    #expect(context.lastError.value == nil)
  }
}
