public import Foundation
import Signals

/// Secrets in memory, for tests: gone with the object.
public final class MemorySecretStore: SecretStore {
  private let lock = Lock()
  private nonisolated(unsafe) var secrets: [String: Data] = [:]  // Sound: guarded by the lock.

  /// Makes an empty store.
  public init() {}

  /// Reads a secret.
  public func read(forKey key: String) -> Data? {
    lock.withLock { secrets[key] }
  }

  /// Stores a secret.
  public func write(_ secret: Data, forKey key: String) {
    lock.withLock { secrets[key] = secret }
  }

  /// Removes a secret.
  public func remove(forKey key: String) {
    lock.withLock { secrets[key] = nil }
  }

  /// The names of all secrets.
  public func keys() -> [String] {
    lock.withLock { Array(secrets.keys) }
  }
}

extension MemorySecretStore: CustomStringConvertible, CustomReflectable {
  /// The number of secrets.
  public var description: String { "MemorySecretStore(\(keys().count) secrets)" }

  /// The names of the secrets.
  public var customMirror: Mirror { Mirror(self, children: ["keys": keys().sorted()]) }
}
