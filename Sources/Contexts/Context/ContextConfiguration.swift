public import Foundation

/// Where sessions are archived, and when they are renewed.
public struct ContextConfiguration: Sendable {
  /// Where it is written down who is logged in.
  public enum ArchiveLocation: Hashable, Sendable {
    /// In a database in the root.
    case database

    /// In a file of its own, which is JSON; its directory must exist.
    case file(URL)
  }

  /// Where it is written down who is logged in.
  ///
  /// All processes and releases that use one root must name the same archive, because another one starts empty. If the
  /// other archive lies in the root, ``StandardAppContext/setup(authDelegate:migrate:)`` throws
  /// ``ContextError/otherArchive(path:configured:)``.
  public var archiveLocation: ArchiveLocation

  /// Where the secrets of users are; by default in files in the root that only their owner can read.
  ///
  /// Several roots may use one store. A context removes only secrets that it has written.
  public var secrets: (any SecretStore)?

  /// Where the caches of users lie; by default in the root.
  ///
  /// Give each root a directory of its own. Users with the same identity in two roots would share one cache, and
  /// ``StandardAppContext/purge(userID:)`` would remove both.
  public var cacheDirectory: URL?

  /// When sessions are renewed, and how often that is tried.
  public var policy: SessionPolicy

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - archiveLocation: Where it is written down who is logged in.
  ///   - secrets: Where the secrets of users are; by default in files in the root that only their owner can read.
  ///   - cacheDirectory: Where the caches of users lie; by default in the root.
  ///   - policy: When sessions are renewed, and how often that is tried.
  public init(
    archiveLocation: ArchiveLocation = .database,
    secrets: (any SecretStore)? = nil,
    cacheDirectory: URL? = nil,
    policy: SessionPolicy = SessionPolicy()
  ) {
    self.archiveLocation = archiveLocation
    self.secrets = secrets
    self.cacheDirectory = cacheDirectory
    self.policy = policy
  }
}
