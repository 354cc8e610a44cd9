public import AppGroups
import Foundation
public import Stores

extension StandardAppContext {
  /// Opens the sessions of a container, with caches where the system may remove them.
  ///
  /// The users' caches are in the container's `cachesURL`, unless the configuration names another directory. If the
  /// system removes them, the next start creates empty ones. Everything else is in the container itself.
  ///
  /// - Parameters:
  ///   - container: The container, which the processes of an app group share.
  ///   - directory: The name of the directory in it that holds all data.
  ///   - configuration: The configuration of the archive and of renewals.
  ///   - storeVersions: The versions of the databases of each user.
  ///   - time: The time by which sessions expire.
  /// - Throws: The errors of ``init(root:configuration:storeVersions:time:)``.
  public convenience init(
    container: AppGroupsContainer,
    directory: String = "Session",
    configuration: ContextConfiguration = ContextConfiguration(),
    storeVersions: StoreVersions = StoreVersions(),
    time: SessionTime = .system
  ) throws(ContextError) {
    var configuration = configuration
    if configuration.cacheDirectory == nil {
      configuration.cacheDirectory = container.cachesURL.appending(path: directory, directoryHint: .isDirectory)
    }
    try self.init(
      root: container.containerURL.appending(path: directory, directoryHint: .isDirectory),
      configuration: configuration, storeVersions: storeVersions, time: time)
  }
}
