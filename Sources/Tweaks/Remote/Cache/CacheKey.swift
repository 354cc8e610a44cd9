import FileSignals
import Foundation

/// The key of an installation, and the names of users that are derived from it.
enum CacheKey {
  private static let length = 32

  /// Returns a new key, from the kernel's generator.
  static func random() -> [UInt8] {
    (0..<length).map { _ in UInt8.random(in: 0 ... .max) }
  }

  /// Reads the key of an installation, and creates it if it is missing.
  ///
  /// - Throws: `DurableFileError`, or ``CacheEntry/Problem`` if the file has another content.
  static func read(_ url: URL) throws -> [UInt8] {
    do {
      return try content(url)
    } catch DurableFileError.notFound {
      return try DurableFile.withLock(on: url, within: .seconds(2)) {
        do {
          // Another process may have created it.
          return try content(url)
        } catch DurableFileError.notFound {
          let key = random()
          try DurableFile.write(Data(key), to: url, mode: 0o600)
          return key
        }
      }
    }
  }

  private static func content(_ url: URL) throws -> [UInt8] {
    let key = Array(try DurableFile.read(url, limit: 1_000))
    guard key.count == length else { throw CacheEntry.Problem.damaged("it is not a key of \(length) bytes") }
    return key
  }

  /// Returns the user of a context.
  ///
  /// - Parameters:
  ///   - context: The context.
  ///   - key: The key of the installation.
  ///   - environment: The environment of the server.
  ///   - identityAttributes: The attributes that belong to the user's identity.
  /// - Returns: The user, with names that do not reveal the context.
  static func user(
    _ context: TweakContext, key: [UInt8], environment: String, identityAttributes: Set<String>
  ) -> RemoteUser {
    let identity = context.targetingKey.map { $0.isEmpty ? ["anonymous"] : ["user", $0] } ?? ["anonymous"]
    let all = attributes(of: context) { _ in true }
    return RemoteUser(
      context: context,
      entry: name(["entry", environment] + identity + attributes(of: context, identityAttributes.contains), key: key),
      fingerprint: name(["context", environment] + identity + all, key: key)
    )
  }

  private static func attributes(of context: TweakContext, _ isWanted: (String) -> Bool) -> [String] {
    context.attributes.filter { isWanted($0.key) }.sorted { $0.key < $1.key }.flatMap { name, value in
      [name, value.kind.rawValue, value.description]
    }
  }

  /// Returns a keyed digest of some texts.
  ///
  /// The length of each text is part of it, so that `["ab", "c"]` and `["a", "bc"]` have different names.
  static func name(_ texts: [String], key: [UInt8]) -> String {
    var message: [UInt8] = []
    for text in texts {
      withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { message.append(contentsOf: $0) }
      message.append(contentsOf: text.utf8)
    }
    return SHA256.authenticationCode(of: message, key: key).hexadecimal
  }

  /// Returns the words for an error of the cache.
  static func reason(_ error: any Error) -> String {
    if case CacheEntry.Problem.damaged(let reason) = error { reason } else { "\(error)" }
  }
}
