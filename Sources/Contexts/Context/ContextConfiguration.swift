public import Foundation

/// A configuration of the archive of sessions and of their renewal.
public struct ContextConfiguration: Sendable {
  /// The place of the archive.
  @nonexhaustive
  public enum ArchiveLocation: Hashable, Sendable {
    /// A database in the root.
    case database

    /// A separate JSON file.
    ///
    /// Its directory must exist.
    case file(URL)
  }

  /// The place of the archive, which records the current user.
  ///
  /// All processes and releases that use one root must name the same archive, because another one starts empty. If the
  /// other archive is in the root, ``StandardAppContext/setup(authDelegate:migrate:)`` throws
  /// ``ContextError/otherArchive(path:configured:)``.
  public var archiveLocation: ArchiveLocation

  /// The store of the users' secrets; by default files in the root that only their owner can read.
  ///
  /// Several roots may share a store. A context removes only secrets that it has written.
  public var secrets: (any SecretStore)?

  /// The directory of the users' caches; by default in the root.
  ///
  /// Give each root its own directory. Otherwise users with the same identity in two roots share a cache, and
  /// ``StandardAppContext/purge(userID:)`` in one root removes it for both.
  public var cacheDirectory: URL?

  /// The policy for when sessions are renewed, and how often that is tried.
  public var policy: SessionPolicy

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - archiveLocation: The place of the archive.
  ///   - secrets: The store of the users' secrets; by default files in the root that only their owner can read.
  ///   - cacheDirectory: The directory of the users' caches; by default in the root.
  ///   - policy: The policy for renewing sessions.
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
