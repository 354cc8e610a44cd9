import FileSignals
public import Foundation
import Signals

/// A store that keeps secrets, such as tokens, by name.
///
/// ``FileSecretStore`` and, on Apple platforms, `KeychainSecretStore` keep secrets after the process ends.
/// ``MemorySecretStore`` is for tests. Several threads and processes may use a store at the same time. Callers make
/// sure that no two of them write the same key.
public protocol SecretStore: Sendable {
  /// Reads a secret.
  ///
  /// - Parameter key: The name of the secret.
  /// - Returns: The secret, or `nil` if no secret has this name.
  /// - Throws: ``SecretStoreError``, also if another account could have read or changed the secret.
  func read(forKey key: String) throws(SecretStoreError) -> Data?

  /// Stores a secret, and replaces an existing one of the same name.
  ///
  /// When this returns, the secret survives a crash.
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - key: The name of the secret.
  /// - Throws: ``SecretStoreError``; then the old secret is unchanged.
  func write(_ secret: Data, forKey key: String) throws(SecretStoreError)

  /// Removes a secret, if it exists.
  ///
  /// - Parameter key: The name of the secret.
  /// - Throws: ``SecretStoreError``.
  func remove(forKey key: String) throws(SecretStoreError)

  /// Returns the names of all secrets.
  ///
  /// - Returns: The names, in no particular order.
  /// - Throws: ``SecretStoreError``.
  func keys() throws(SecretStoreError) -> [String]
}

/// An error that reading, writing or removing a secret throws.
@nonexhaustive
public enum SecretStoreError: Error, Hashable, Sendable {
  /// A secret that the archive names is missing.
  case missing(key: String)

  /// Other accounts can access the file of a secret, or its directory.
  case unsafe(path: String, reason: String)

  /// The secret is sealed with a key that this program does not have; no write replaces it.
  case unknownKey(path: String, sealKey: String)

  /// The secret is sealed, and the key of that name does not open it; no write replaces it.
  case unopenable(path: String, sealKey: String, reason: String)

  /// The secret is not sealed, or its header is damaged.
  case unsealed(path: String, reason: String)

  /// A call to the system failed.
  case system(operation: String, place: String, reason: String)
}

extension SecretStoreError: CustomStringConvertible, LocalizedError {
  /// A description of the failure and its remedy, without the secret.
  public var description: String {
    switch self {
    case .missing(let key):
      "The secret \(key.debugDescription) is missing. Log in again."
    case .unsafe(let path, let reason):
      "The secret at \(path) cannot be trusted: \(clause(reason)). Find out how this happened, remove the file, and log "
        + "in again."
    case .unknownKey(let path, let key):
      "The secret at \(path) is sealed with the key \(key.debugDescription), which this program does not have. Add the key "
        + "to the FileSeal of the store, or remove the file and log in again if the key is lost."
    case .unopenable(let path, let key, let reason):
      "The secret at \(path) cannot be opened with the key \(key.debugDescription): \(clause(reason)). Check whether the "
        + "FileSeal has the right key of this name. Otherwise remove the file and log in again."
    case .unsealed(let path, let reason):
      "The secret at \(path) cannot be opened: \(clause(reason)). Create the seal with adoptsPlain if the secret is from "
        + "before you added it, or remove the file and log in again."
    case .system(let operation, let place, let reason):
      "Could not \(operation) \(place): \(clause(reason))."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// The names of secrets, which are unique to an archive within a store.
enum SecretNames {
  /// Returns the prefix of the names of all secrets of an archive.
  ///
  /// - Parameters:
  ///   - root: The root of the archive.
  ///   - location: The place of the archive.
  ///   - isShared: A Boolean value that indicates whether the store is outside the root, so that other roots may use
  ///     it.
  /// - Returns: A string that distinguishes the archive from others. It may change when the root is moved. Names in the
  ///   archive with the old prefix remain valid.
  static func prefix(
    root: URL, location: ContextConfiguration.ArchiveLocation, isShared: Bool
  ) -> String {
    var place = isShared ? root.resolvingSymlinksInPath().standardizedFileURL.path : ""
    if case .file(let url) = location { place += "\n\(url.lastPathComponent)" }
    return "session-\(SHA256.digest(Array(place.utf8)).prefix(8).hexadecimal)-"
  }
}

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
