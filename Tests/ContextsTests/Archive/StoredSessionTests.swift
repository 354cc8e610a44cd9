import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

/// Ada is logged in, after Grace has logged out.
///
/// The secrets are made up.
@Suite("Sessions archived by earlier versions", .patient)
struct StoredSessionTests {
  private static let ada = Account(
    id: "Ada/1", name: "Ada \"Grüße\" Lovelace", token: "made-up secret 2",
    expiration: Date(timeIntervalSince1970: 4_000_000_000))
  private static let grace = Account(id: "grace", name: "Grace", token: "made-up secret 1")
  private static let parts = ["session-database", "session-file"]

  private let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Item.self])

  private func open(_ root: Root, _ part: String) throws -> StandardAppContext<Account> {
    try root.context(file: part == "session-file", versions: versions)
  }

  @Test(.enabled(if: StoredFormat.writtenGeneration != nil), arguments: parts)
  func `writes the stored session of this version`(_ part: String) async throws {
    let root = try Root()
    let context = try open(root, part)
    let delegate = TestDelegate(trusts: true, login: { Self.grace }, renew: { _ in Self.ada })
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    try await context.logout()
    var ada = Self.ada
    ada.token = "made-up secret 0"
    try await context.startAppContext(with: ada)
    // A renewal leaves its claim and its lock.
    try await context.refreshAuthentication()
    let store = context.current.value.store
    try await store.persistence.write { try $0.put(Item(id: 1, text: "lasting")) }
    try await store.cache.write { try $0.put(Item(id: 2, text: "cached")) }
    try StoredFormat.store(root.directory.url, as: part)
  }

  @Test
  func `stored sessions of earlier versions exist`() {
    for part in Self.parts { #expect(!StoredFormat.all(part).isEmpty) }
  }

  @Test(arguments: parts.flatMap(StoredFormat.all))
  func `the user is restored with secret and databases, renewed, and logged out`(_ stored: StoredFormat) async throws {
    let root = try Root(stored)
    let delegate = TestDelegate(trusts: true, login: { Self.grace })
    do {
      let context = try open(root, stored.part)
      #expect(try await context.setup(authDelegate: delegate) == Self.ada)
      #expect(context.authState.value == .authenticated)
      #expect(context.historyUsers.value.map(\.id) == ["grace", "Ada/1"])
      let store = context.current.value.store
      #expect(try await store.persistence.read { try $0.all(Item.self) } == [Item(id: 1, text: "lasting")])
      #expect(try await store.cache.read { try $0.all(Item.self) } == [Item(id: 2, text: "cached")])
      try await store.persistence.write { try $0.put(Item(id: 1, text: "changed")) }
      #expect(try await context.refreshAuthentication().token == "made-up secret 2+")
      #expect(try await context.update { $0.name = "Ada" }.name == "Ada")
      let secrets = FileSecretStore(directory: root.directory.file("secrets"))
      #expect(try secrets.keys().count == 1, "the secret under the old name is gone")
    }
    let context = try open(root, stored.part)
    #expect(try await context.setup(authDelegate: delegate)?.description == "Ada/1/Ada/made-up secret 2+/4000000000.0")
    let store = context.current.value.store
    #expect(try await store.persistence.read { try $0.all(Item.self) } == [Item(id: 1, text: "changed")])
    try await context.logout()
    #expect(context.current.value.isStandard)
    try await context.triggerLogin()
    #expect(context.user.value == Self.grace)
  }
}
