import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

@Suite("Unreadable archives")
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
  func `a damaged or newer archive is reported, and kept when a user logs in`(
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

  enum Number: CaseIterable {
    case revision, session, generation
  }

  @Test(arguments: [false, true], Number.allCases)
  func `an archive with a number that cannot be raised is damaged, and kept when a user logs in`(
    _ file: Bool, _ number: Number
  ) async throws {
    let url = root.directory.file(file ? "session.json" : "session.sqlite")
    let user = ArchivedRecord(id: "ada", version: 1, payload: #"{"id":"ada","name":"Ada"}"#)
    let damaged = ArchiveContents(
      revision: number == .revision ? .max : 4, session: number == .session ? .max : 4,
      generation: number == .generation ? .max : 4, currentID: "ada", users: [user])
    let archive: any SessionArchive = if file { FileArchive(url: url) } else { DatabaseArchive(url: url) }
    try archive.write(damaged)
    archive.close()
    let delegate = TestDelegate(trusts: true)
    do {
      let context = try root.context(file: file)
      #expect(try await context.setup(authDelegate: delegate) == nil)
      guard case .archive(let path, _, let reason) = context.lastError.value else {
        Issue.record("\(String(describing: context.lastError.value))")
        return
      }
      #expect(path == url.path)
      #expect(reason == "the \(number) is \(Int.max), which is out of range")
      try await context.triggerLogin()
    }
    #expect(try contents { $0.contains("kept-1") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.count == 1)
    let context = try root.context(file: file)
    #expect(try await context.setup(authDelegate: delegate)?.token == "t0")
  }

  @Test
  func `a user without a secret is not restored, and the failure is reported`() async throws {
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
  func `the archive contains no secret, and a stray secret is removed by the next write`() async throws {
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
  func `a login after the loss of the archive does not reuse the former user's context and databases`()
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
  func `a stray directory among the secrets does not prevent a restore`() async throws {
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
