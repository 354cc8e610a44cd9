public import AppGroups
import CLibrary
import FileSignals
public import Foundation

/// A store of secrets in files that only their owner can read: mode 0600, in a directory of mode 0700.
///
/// - **Durability.** A write replaces the whole secret. When ``write(_:forKey:)`` returns, the secret survives a power
///   failure. A crash during a write leaves the old secret.
/// - **Unsafe files.** The store refuses a file or directory that another account owns or can access, and a symbolic
///   link.
/// - **Locks.** While a secret exists, its lock is in a folder `.shared` beside it.
///
/// > Important: Without a seal, the secrets are not encrypted. They are as safe as the user's account. Anyone who has
/// > the disk can read them. With a seal they are as safe as its key; see <doc:/Docs/EncryptedValues>. The names of
/// > secrets are never encrypted.
public struct FileSecretStore: SecretStore {
  /// The directory.
  public let directory: URL

  /// The keys and the cipher; `nil` if the secrets are not encrypted.
  private let seal: FileSeal?

  /// Creates a store in a directory, which is created with the first secret.
  ///
  /// - Parameters:
  ///   - directory: The directory, for secrets only. Its parent directory must exist.
  ///   - seal: The keys and the cipher, if the secrets are encrypted. The name of a secret is authenticated together
  ///     with the header, so no secret is taken for another one.
  public init(directory: URL, seal: FileSeal? = nil) {
    self.directory = directory
    self.seal = seal
  }

  /// Reads a secret.
  public func read(forKey key: String) throws(SecretStoreError) -> Data? {
    guard try hasDirectory() else { return nil }
    let file = file(key)
    guard let status = try status(of: file) else { return nil }
    try check(status, .regular, at: file)
    return try content(of: file).map { content throws(SecretStoreError) in try opened(content, forKey: key, file) }
  }

  private func content(of file: URL) throws(SecretStoreError) -> Data? {
    try examining("read the secret at", file, DurableFile.readIfPresent(file))
  }

  /// Stores a secret.
  public func write(_ secret: Data, forKey key: String) throws(SecretStoreError) {
    if !makeDirectory(directory.path) {
      let reason = errno
      // Some systems refuse the creation before they notice that the directory exists.
      guard try hasDirectory() else {
        errno = reason
        throw failure("create the directory", directory)
      }
    }
    let file = file(key)
    if let status = try status(of: file) {
      try check(status, .regular, at: file)
      try checkKey(of: file, forKey: key)
    }
    let content = try sealed(secret, forKey: key, file)
    try examining("write the secret at", file, DurableFile.write(content, to: file, mode: 0o600))
  }

  /// Removes a secret, together with its lock.
  public func remove(forKey key: String) throws(SecretStoreError) {
    guard try hasDirectory() else { return }
    let file = file(key)
    do {
      if let status = try status(of: file), status.kind != .regular {
        guard unlink(file.path) == 0 || errno == ENOENT else { throw failure("remove the secret at", file) }
      } else {
        try DurableFile.remove(file)
      }
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw .system(operation: "remove the secret at", place: file.path, reason: "\(error)")
    }
    // The secret is removed. The next removal tries to remove the lock again.
    tolerating { try DurableFile.removeUnusedLocks(in: directory) }
  }

  /// The names of all secrets.
  public func keys() throws(SecretStoreError) -> [String] {
    guard try hasDirectory() else { return [] }
    let names = try examining("list the secrets in", directory, DirectoryListing.names(in: directory) ?? [])
    return names.filter { !$0.hasPrefix(".") }.compactMap(EncodedName.decoded)
  }

  // MARK: Sealing

  private func sealed(_ secret: Data, forKey key: String, _ file: URL) throws(SecretStoreError) -> Data {
    guard let seal else { return secret }
    return try translating(seal.seal(secret, for: .secret, named: key)) { (error: any Error) in
      SecretStoreError.system(operation: "seal the secret at", place: file.path, reason: CodingReason.words(for: error))
    }
  }

  private func opened(_ content: Data, forKey key: String, _ file: URL) throws(SecretStoreError) -> Data {
    guard let seal else {
      if let sealKey = FileSeal.key(of: content) { throw .unknownKey(path: file.path, sealKey: sealKey) }
      return content
    }
    do throws(FileSealError) {
      return try seal.open(content, for: .secret, named: key).plain
    } catch {
      switch error {
      case .unknownKey(let sealKey): throw .unknownKey(path: file.path, sealKey: sealKey)
      case .unopenable(let sealKey, let reason):
        throw .unopenable(path: file.path, sealKey: sealKey, reason: reason)
      case .damaged, .longName: throw .unsealed(path: file.path, reason: error.description)
      }
    }
  }

  /// Throws an error if a secret is sealed and this program cannot open it.
  private func checkKey(of file: URL, forKey key: String) throws(SecretStoreError) {
    guard let content = try content(of: file) else { return }
    do throws(SecretStoreError) {
      _ = try opened(content, forKey: key, file)
    } catch .unsealed {
      // Nothing else opens it.
    }
  }

  private func file(_ key: String) -> URL {
    // An encoded name has no characters that could lead out of the directory.
    directory.appending(path: EncodedName.encoded(key), directoryHint: .notDirectory)
  }

  /// Returns the status of a file, or `nil` only if the file is known not to exist.
  private func status(of url: URL) throws(SecretStoreError) -> FileStatus? {
    try examining("inspect the secret at", url, FileStatus(path: url.path, followsLinks: false))
  }

  private func examining<Result>(
    _ operation: String, _ url: URL, _ body: @autoclosure () throws(DurableFileError) -> Result
  ) throws(SecretStoreError) -> Result {
    try translating(body()) { (error: DurableFileError) in
      SecretStoreError.system(operation: operation, place: url.path, reason: clause(error.description))
    }
  }

  /// Returns the error of a system call that has just failed.
  private func failure(_ operation: String, _ url: URL) -> SecretStoreError {
    let reason = errorWords(errno)
    return .system(operation: operation, place: url.path, reason: reason)
  }

  /// Returns whether the directory exists, and throws an error if other accounts can access it.
  private func hasDirectory() throws(SecretStoreError) -> Bool {
    guard let status = try status(of: directory) else { return false }
    try check(status, .directory, at: directory)
    return true
  }

  private func check(_ status: FileStatus, _ kind: FileStatus.Kind, at url: URL) throws(SecretStoreError) {
    func refuse(_ reason: String) throws(SecretStoreError) { throw .unsafe(path: url.path, reason: reason) }
    if status.kind != kind { try refuse("it is \(status.kind.rawValue), not \(kind.rawValue)") }
    if status.owner != geteuid() { try refuse("it is owned by user \(status.owner)") }
    if status.permissions & 0o077 != 0 {
      try refuse("its mode 0\(String(status.permissions, radix: 8)) gives other accounts access")
    }
  }
}
