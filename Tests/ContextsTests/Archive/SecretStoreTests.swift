import Foundation
import TestSupport
import Testing

@testable import Contexts

@Suite("Secrets in files")
struct SecretStoreTests {
  let directory: TemporaryDirectory
  let store: FileSecretStore

  init() throws {
    directory = try TemporaryDirectory()
    store = FileSecretStore(directory: directory.url.appending(path: "secrets"))
  }

  private func mode(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  @Test
  func `a secret is stored in a file that only its owner can read`() throws {
    #expect(try store.read(forKey: "a/b") == nil)
    try store.write(Data("one".utf8), forKey: "a/b")
    try store.write(Data("two".utf8), forKey: "a/b")
    #expect(try store.read(forKey: "a/b") == Data("two".utf8))
    #expect(try store.keys() == ["a/b"])
    #expect(try mode(store.directory) == 0o700)
    #expect(try mode(store.directory.appending(path: "a%2fb")) == 0o600)
    try store.remove(forKey: "a/b")
    try store.remove(forKey: "a/b")
    #expect(try store.read(forKey: "a/b") == nil)
    #expect(try store.keys().isEmpty)
  }

  @Test(arguments: ["chmod 640 \"$1/secrets/k\"", "chmod 750 \"$1/secrets\"", "cd \"$1/secrets\"; mv k x; ln -s x k"])
  func `a secret that others can access, or that is a link, is rejected`(_ damage: String) async throws {
    try store.write(Data("one".utf8), forKey: "k")
    try await shell(damage, directory.url.path)
    #expect { try store.read(forKey: "k") } throws: { error in
      if case .unsafe? = error as? SecretStoreError { return true }
      return false
    }
    #expect(throws: SecretStoreError.self) { try store.write(Data("two".utf8), forKey: "k") }
  }

  @Test
  func `an inaccessible directory is an error, and is not treated as empty`() async throws {
    try await shell("ln -s loop \"$1/loop\"", directory.url.path)
    let store = FileSecretStore(directory: directory.url.appending(path: "loop/secrets"))
    for attempt in [{ _ = try store.read(forKey: "k") }, { try store.remove(forKey: "k") }, { _ = try store.keys() }] {
      let error = #expect(throws: SecretStoreError.self, performing: attempt)
      guard case .system = error else { throw try #require(error) }
    }
  }
}
