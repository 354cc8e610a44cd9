import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The directory of a log: the segments, and out of sight the consumers' cursors and what is not yet complete.
struct LogPlace: Hashable, Sendable {
  let container: AppGroupsContainer
  let name: String
  let url: URL

  /// The directory of a container in which its logs lie.
  private static let folder = "Logs"
  private static let sharedFolder = ".shared"
  private static let consumersFolder = ".consumers"

  /// How long a name may be, in bytes, so that those of its lock and temporary file fit too.
  static let maximumNameLength = 200

  /// Finds the log of a name, and makes its directories if need be.
  init(name: String, container: AppGroupsContainer) throws(AppGroupsLogError) {
    if let problem = PathComponent.problem(with: name, limit: Self.maximumNameLength) {
      throw .invalidName(name, reason: problem)
    }
    self.name = name
    self.container = container
    url = container.containerURL
      .appending(path: Self.folder, directoryHint: .isDirectory)
      .appending(path: name, directoryHint: .isDirectory)
    if let root = SwitchedRoots.root(switching: url) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    try make()
  }

  /// Makes the directories that are missing; a symbolic link in the place of one is refused.
  func make() throws(AppGroupsLogError) {
    do {
      let logs = try GroupDirectory.make(Self.folder, in: GroupDirectory.make(container.containerURL))
      _ = try GroupDirectory.make(name, in: logs)
    } catch {
      throw .unusableContainer(error)
    }
    try makeFolders()
  }

  /// Makes the folders of the log's directory, which must exist.
  func makeFolders() throws(AppGroupsLogError) {
    do {
      let log = url
      _ = try GroupDirectory.make(Self.sharedFolder, in: log)
      _ = try GroupDirectory.make(Self.consumersFolder, in: log)
    } catch {
      throw .unusableContainer(error)
    }
    // Made here, so that who trims in the background makes nothing in a directory that is being removed.
    let owner = url.path
    guard FileLock(trimLock.path, .createdIfMissing, of: trimLock, owner: FileStatus(path: owner)) != nil else {
      throw .inaccessible(DurableFileError(errno, "create", trimLock))
    }
  }

  /// Becomes the only one who removes segments; `nil` if somebody else is and that is not waited for, or where there is
  /// no log.
  func lockTrimming(isWaiting: Bool) throws(AppGroupsLogError) -> FileLock? {
    guard let lock = FileLock(trimLock.path, .existing, of: trimLock) else {
      if errno == ENOENT { return nil }
      throw .inaccessible(DurableFileError(errno, "lock", trimLock))
    }
    do throws(DurableFileError) {
      if isWaiting {
        try lock.lock()
      } else {
        guard try lock.tryLock() else { return nil }
      }
    } catch {
      throw .inaccessible(error)
    }
    return lock
  }

  /// The lock of those who remove segments.
  private var trimLock: URL { shared.appending(path: "trim.lock", directoryHint: .notDirectory) }

  /// Whether the log's directory is there.
  var exists: Bool { FileStatus(path: url.path, followsLinks: false)?.kind == .directory }

  /// Where segments are until they are complete.
  var shared: URL { url.appending(path: Self.sharedFolder, directoryHint: .isDirectory) }

  /// Where consumers keep how far they are.
  var consumers: URL { url.appending(path: Self.consumersFolder, directoryHint: .isDirectory) }

  func url(of segment: SegmentID) -> URL {
    url.appending(path: segment.fileName, directoryHint: .notDirectory)
  }
}
