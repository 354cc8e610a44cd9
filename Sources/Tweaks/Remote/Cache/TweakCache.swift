public import AppGroups
public import Foundation

/// The place where a ``RemoteTweakProvider`` keeps the last answers of its server for the next launch.
///
/// - **Entries.** Each user has an entry for each environment. Its name is a keyed digest, so it does not reveal the
///   user. An entry is replaced as a whole.
/// - **Limits.** The least recently used entry is removed when there are too many. An entry that is too large is not
///   written, and the failure is reported.
/// - **Damage.** A damaged entry is moved aside, reported once, and not used. An entry of a newer version of this
///   package is left alone.
/// - **Processes.** If it shares fetches, as in a container, one of the processes that use the cache asks the
///   server, and the others follow it.
/// - **Permissions.** Only the user can read the files: mode 0600, in a directory of mode 0700. The values are not
///   encrypted, except those of encrypted tweaks.
public struct TweakCache: Sendable {
  let directory: URL
  let keyFile: URL
  var environment: String
  let maximumEntries: Int
  let maximumSize: Int
  let sharesFetches: Bool

  /// The maximum size of the file of an entry in bytes.
  var fileLimit: Int { min(max(0, maximumSize), .max - CacheEntry.overhead) + CacheEntry.overhead }

  /// Creates a cache in a directory.
  ///
  /// - Parameters:
  ///   - directory: The directory of the entries, which is created if it is missing. Its contents may be removed at any
  ///     time.
  ///   - keyFile: The file with the key of the digests, outside of the directory. If it is lost, all entries are, too.
  ///   - environment: The environment of the server, such as its name or the key of the app. Different environments have
  ///     different entries.
  ///   - maximumEntries: The maximum number of entries in the directory.
  ///   - maximumSize: The maximum size of an entry in bytes.
  ///   - sharesFetches: A Boolean value that indicates whether the processes that use the cache ask the server together.
  ///     Then a process polls only if no other one has stored an answer for its user, with the same attributes, since
  ///     the last time. It holds a lock meanwhile, which the kernel releases if the process dies. The answer takes effect
  ///     in all of these processes, according to the policy of each. ``RemoteTweakProvider/refresh()`` and
  ///     ``RemoteTweakProvider/identify(_:)`` always ask. A process whose stream may have missed changes asks by
  ///     itself.
  public init(
    directory: URL, keyFile: URL, environment: String = "", maximumEntries: Int = 8, maximumSize: Int = 1 << 20,
    sharesFetches: Bool = false
  ) {
    self.directory = directory
    self.keyFile = keyFile
    self.environment = environment
    self.maximumEntries = max(1, maximumEntries)
    self.maximumSize = maximumSize
    self.sharesFetches = sharesFetches
  }

  /// Creates a cache in the caches of a container, whose processes ask the server together.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - environment: The environment of the server.
  public init(container: AppGroupsContainer, environment: String = "") {
    self.init(
      directory: container.cachesURL.appending(path: "Tweaks", directoryHint: .isDirectory),
      keyFile: container.containerURL.appending(path: "Tweaks.key", directoryHint: .notDirectory),
      environment: environment, sharesFetches: true
    )
  }
}
