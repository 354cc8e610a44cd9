import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Sealed secrets in files")
struct SealedSecretsTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  private var folder: URL { root.directory.url.appending(path: "secrets", directoryHint: .isDirectory) }

  private func store(_ key: String?, older: [String] = [], wrong: Bool = false, adopts: Bool = false) -> FileSecretStore
  {
    let seal = key.map { key in
      FileSeal(
        key, key: wrong ? "wrong" : "key \(key)",
        older: Dictionary(uniqueKeysWithValues: older.map { ($0, "key \($0)") }), adoptsPlain: adopts,
        seal: TestCipher.seal, open: TestCipher.open)
    }
    return FileSecretStore(directory: folder, seal: seal)
  }

  private func bytes(_ name: String) throws -> Data { try DurableFile.read(folder.appending(path: name)) }

  @Test
  func `a secret is sealed, and is read with its key`() throws {
    try store("1").write(Data("TopSecret".utf8), forKey: "k")
    #expect(try bytes("k").range(of: Data("TopSecret".utf8)) == nil)
    #expect(try store("1").read(forKey: "k") == Data("TopSecret".utf8))
    #expect(try store("2", older: ["1"]).read(forKey: "k") == Data("TopSecret".utf8))
    try store("2", older: ["1"]).write(Data("TopSecret".utf8), forKey: "k")
    #expect(try store("2").read(forKey: "k") == Data("TopSecret".utf8))
  }

  @Test
  func `a secret that cannot be opened is an error of its own, and no write replaces it`() throws {
    try store("1").write(Data("TopSecret".utf8), forKey: "k")
    let before = try bytes("k")
    let path = folder.appending(path: "k").path
    let unknown = SecretStoreError.unknownKey(path: path, sealKey: "1")
    let wrong = SecretStoreError.unopenable(path: path, sealKey: "1", reason: "Forged()")
    for (store, error) in [
      (store("2", adopts: true), unknown), (store(nil), unknown), (store("1", wrong: true), wrong),
    ] {
      #expect(throws: error) { try store.read(forKey: "k") }
      #expect(throws: error) { try store.write(Data("lost".utf8), forKey: "k") }
      #expect(try store.keys() == ["k"])
    }
    #expect(try bytes("k") == before)
    try store("2").remove(forKey: "k")
    #expect(try store("2").read(forKey: "k") == nil)
  }

  @Test
  func `no secret is taken for another one, nor for a file`() throws {
    try store("1").write(Data("one".utf8), forKey: "k")
    try bytes("k").write(to: folder.appending(path: "other"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/other")
    #expect(throws: SecretStoreError.self) { try store("1").read(forKey: "other") }
    let format = FileFormat<Data>.rawData.sealed(
      by: FileSeal("1", key: "key 1", seal: TestCipher.seal, open: TestCipher.open))
    #expect(throws: (any Error).self) { try format.decode(try bytes("k")) }
  }

  @Test
  func `a plain secret is read only if that is asked for`() throws {
    try store(nil).write(Data("plain".utf8), forKey: "k")
    #expect { try store("1").read(forKey: "k") } throws: {
      if case .unsealed? = $0 as? SecretStoreError { true } else { false }
    }
    #expect(try store("1", adopts: true).read(forKey: "k") == Data("plain".utf8))
    try store("1", adopts: true).write(Data("plain".utf8), forKey: "k")
    #expect(try store("1").read(forKey: "k") == Data("plain".utf8))
  }

  @Test
  func `a session whose token cannot be opened is reported and kept, and is restored with the right key`() async throws
  {
    let delegate = TestDelegate(login: { Account(token: "TopSecret") })
    do {
      let context = try root.context(secrets: store("1"))
      try await context.setup(authDelegate: delegate)
      try await context.triggerLogin()
    }
    let name = try #require(try store("1").keys().first)
    let before = try bytes(name)
    #expect(before.range(of: Data("TopSecret".utf8)) == nil)
    do {
      let context = try root.context(secrets: store("2"))
      #expect(try await context.setup(authDelegate: delegate) == nil)
      #expect(
        context.lastError.value
          == .secret(.unknownKey(path: folder.appending(path: name).path, sealKey: "1")))
    }
    #expect(try bytes(name) == before)
    let context = try root.context(secrets: store("2", older: ["1"]))
    #expect(try await context.setup(authDelegate: delegate)?.token == "TopSecret")
  }
}
