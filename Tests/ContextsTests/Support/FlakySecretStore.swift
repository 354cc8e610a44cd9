import Contexts
import Foundation
import Signals

/// A store of secrets in memory whose writes can be made to fail.
final class FlakySecretStore: SecretStore {
  private let secrets = MemorySecretStore()
  private let isFailing = MutableProperty(false)

  var fails: Bool {
    get { isFailing.value }
    set { isFailing.value = newValue }
  }

  func read(forKey key: String) throws(SecretStoreError) -> Data? { secrets.read(forKey: key) }

  func write(_ secret: Data, forKey key: String) throws(SecretStoreError) {
    if fails { throw .system(operation: "write the secret at", place: key, reason: "the store is locked") }
    secrets.write(secret, forKey: key)
  }

  func remove(forKey key: String) throws(SecretStoreError) { secrets.remove(forKey: key) }

  func keys() throws(SecretStoreError) -> [String] { secrets.keys() }
}
