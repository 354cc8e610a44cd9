public import Foundation

/// Keeps secrets, such as tokens, by name.
///
/// ``FileSecretStore`` and, on Apple platforms, `KeychainSecretStore` keep them beyond the life of the process;
/// ``MemorySecretStore`` is for tests. Whatever the store, it may be used by several threads and processes; callers see
/// to it that no two write the same key.
public protocol SecretStore: Sendable {
  /// Reads a secret.
  ///
  /// - Parameter key: Its name.
  /// - Returns: The secret; `nil` if there is none of that name.
  /// - Throws: ``SecretStoreError``, also if somebody else could have read or changed the secret.
  func read(forKey key: String) throws(SecretStoreError) -> Data?

  /// Stores a secret, in place of the one of the same name; it is there after a crash once this has returned.
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - key: Its name.
  /// - Throws: ``SecretStoreError``; the old secret is still there then.
  func write(_ secret: Data, forKey key: String) throws(SecretStoreError)

  /// Removes a secret; does nothing if there is none.
  ///
  /// - Parameter key: Its name.
  /// - Throws: ``SecretStoreError``.
  func remove(forKey key: String) throws(SecretStoreError)

  /// The names of all secrets.
  ///
  /// - Returns: The names, in no particular order.
  /// - Throws: ``SecretStoreError``.
  func keys() throws(SecretStoreError) -> [String]
}

/// Why a secret could not be read, written or removed.
public enum SecretStoreError: Error, Hashable, Sendable {
  /// A secret that should be there is not.
  case missing(key: String)

  /// The file of a secret, or its directory, is not what only its owner can reach.
  case unsafe(path: String, reason: String)

  /// The system refused.
  case system(operation: String, place: String, reason: String)
}

extension SecretStoreError: CustomStringConvertible, LocalizedError {
  /// What happened, and what to do; never the secret.
  public var description: String {
    switch self {
    case .missing(let key):
      "The secret \(key.debugDescription) is gone. Log in again."
    case .unsafe(let path, let reason):
      "The secret at \(path) cannot be trusted: \(reason). Find out who has changed that, remove the file, and log in again."
    case .system(let operation, let place, let reason):
      "Could not \(operation) the secret at \(place): \(reason)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
