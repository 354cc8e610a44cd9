public import Foundation
import Signals

/// A store of secrets in memory, for tests.
///
/// The secrets disappear with the object.
public final class MemorySecretStore: SecretStore {
  private let secrets = Guarded<[String: Data]>([:])

  /// Creates an empty store.
  public init() {}

  /// Reads a secret.
  public func read(forKey key: String) -> Data? {
    secrets.withLock { $0[key] }
  }

  /// Stores a secret.
  public func write(_ secret: Data, forKey key: String) {
    secrets.withLock { $0[key] = secret }
  }

  /// Removes a secret.
  public func remove(forKey key: String) {
    secrets.withLock { $0[key] = nil }
  }

  /// The names of all secrets.
  public func keys() -> [String] {
    secrets.withLock { Array($0.keys) }
  }
}

extension MemorySecretStore: CustomStringConvertible, CustomReflectable {
  /// The number of secrets.
  public var description: String { "MemorySecretStore(\(keys().count) secrets)" }

  /// The names of the secrets.
  public var customMirror: Mirror { Mirror(self, children: ["keys": keys().sorted()]) }
}
