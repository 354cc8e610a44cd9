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
///
/// Without a scope, it is whatever lies at the log's path. In a scope, it is one open directory, and everything is done
/// relative to that. An operation that a switch interrupts still ends in the environment in which it began.
final class LogPlace: Sendable {
  let container: AppGroupsContainer
  let name: String
  let url: URL

  /// The number of the contents in the log's scope; 0 without a scope.
  let swapCount: Int

  /// The open directory, if the path does not count.
  private let anchor: LogAnchor?
  private let prefix: String

  /// The directory of a container in which its logs lie.
  private static let folder = "Logs"
  private static let sharedFolder = ".shared"
  private static let consumersFolder = ".consumers"
  private static let trimLockName = "\(sharedFolder)/trim.lock"

  /// How long a name may be, in bytes, so that those of its lock and temporary file fit too.
  static let maximumNameLength = 200

  /// Finds the log of a name, and makes its directories if need be.
  init(name: String, container: AppGroupsContainer) throws(AppGroupsLogError) {
    url = try Self.url(of: name, in: container)
    if let root = SwitchedRoots.root(switching: url) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    self.name = name
    self.container = container
    swapCount = 0
    anchor = nil
    prefix = url.path + "/"
    try make()
  }

  /// Opens the directory that a log has now.
  ///
  /// - Parameters:
  ///   - name: The log's name.
  ///   - container: The container, whose contents must not be swapped meanwhile.
  ///   - swapCount: The number of the contents.
  ///   - isMaking: A Boolean value that indicates whether to make the directories that are missing.
  /// - Throws: ``AppGroupsLogError``.
  init(
    opening name: String, in container: AppGroupsContainer, swapCount: Int, isMaking: Bool
  ) throws(AppGroupsLogError) {
    url = try Self.url(of: name, in: container)
    self.name = name
    self.container = container
    self.swapCount = swapCount
    if isMaking { try Self.makeDirectory(name, in: container) }
    guard let anchor = LogAnchor(url.path) else { throw .inaccessible(DurableFileError(errno, "open", url)) }
    self.anchor = anchor
    prefix = ""
    if isMaking { try makeFolders() }
  }

  /// The directory of a log.
  static func url(of name: String, in container: AppGroupsContainer) throws(AppGroupsLogError) -> URL {
    if let problem = PathComponent.problem(with: name, limit: maximumNameLength) {
      throw .invalidName(name, reason: problem)
    }
    return container.containerURL
      .appending(path: folder, directoryHint: .isDirectory)
      .appending(path: name, directoryHint: .isDirectory)
  }

  private static func makeDirectory(_ name: String, in container: AppGroupsContainer) throws(AppGroupsLogError) {
    do {
      let logs = try GroupDirectory.make(folder, in: GroupDirectory.make(container.containerURL))
      _ = try GroupDirectory.make(name, in: logs)
    } catch {
      throw .unusableContainer(error)
    }
  }

  /// Makes the directories that are missing; a symbolic link in the place of one is refused.
  func make() throws(AppGroupsLogError) {
    if anchor == nil { try Self.makeDirectory(name, in: container) }
    try makeFolders()
  }

  /// The same place, with all directories.
  func made() throws(AppGroupsLogError) -> LogPlace {
    try make()
    return self
  }

  /// Makes the folders of the log's directory, which must exist.
  func makeFolders() throws(AppGroupsLogError) {
    do {
      for (folder, url) in [(Self.sharedFolder, shared), (Self.consumersFolder, consumers)] {
        try GroupDirectory.make(at: path(folder), in: base, of: url, owner: status)
      }
    } catch {
      throw .unusableContainer(error)
    }
    // Made here, so that who trims in the background makes nothing in a directory that is being removed.
    if FileLock(path(Self.trimLockName), in: base, .createdIfMissing, of: trimLock, owner: status) != nil { return }
    // A process that may only read the log removes nothing.
    guard errno == EACCES || errno == EROFS else { throw .inaccessible(DurableFileError(errno, "create", trimLock)) }
  }

  /// Becomes the only one who removes segments; `nil` if somebody else is and that is not waited for, or where there is
  /// no log.
  func lockTrimming(isWaiting: Bool) throws(AppGroupsLogError) -> FileLock? {
    guard let lock = FileLock(path(Self.trimLockName), in: base, .existing, of: trimLock) else {
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

  // MARK: Reaching it

  /// The open directory in which the paths of the log begin.
  var base: CInt { anchor?.number ?? AT_FDCWD }

  /// The path of the directory, from ``base`` on.
  var path: String { anchor == nil ? url.path : "." }

  /// The path of something in the directory, from ``base`` on.
  func path(_ name: String) -> String { prefix + name }

  /// The path of a segment, from ``base`` on.
  func path(of segment: SegmentID) -> String { path(segment.fileName) }

  /// The path of a segment that is not complete yet, from ``base`` on.
  func path(ofIncomplete name: String) -> String { path("\(Self.sharedFolder)/\(name)") }

  /// The path of the folder of incomplete segments, from ``base`` on.
  var sharedPath: String { path(Self.sharedFolder) }

  /// The path of the consumers' folder, from ``base`` on.
  var consumersPath: String { path(Self.consumersFolder) }

  /// The path of a consumer's file, from ``base`` on.
  func path(ofConsumerFile name: String) -> String { path("\(Self.consumersFolder)/\(name)") }

  /// The status of the directory.
  var status: FileStatus? { FileStatus(path: path, relativeTo: base, followsLinks: false) }

  /// Whether the log's directory is there.
  var exists: Bool {
    if let anchor { return anchor.isLinked }
    return status?.kind == .directory
  }

  /// A Boolean value that indicates whether the directory is an open one, of which the path does not count.
  var isAnchored: Bool { anchor != nil }

  /// A Boolean value that indicates whether the log's path leads to this directory.
  var isAtPath: Bool {
    guard let anchor else { return true }
    return FileStatus(path: url.path, followsLinks: false)?.identity == anchor.identity
  }

  // MARK: For errors

  /// Where segments are until they are complete.
  var shared: URL { url.appending(path: Self.sharedFolder, directoryHint: .isDirectory) }

  /// Where consumers keep how far they are.
  var consumers: URL { url.appending(path: Self.consumersFolder, directoryHint: .isDirectory) }

  func url(of segment: SegmentID) -> URL {
    url.appending(path: segment.fileName, directoryHint: .notDirectory)
  }
}

/// The open directory of a log.
private final class LogAnchor: Sendable {
  let identity: FileIdentity
  private let directory: Descriptor

  /// Opens a directory; `nil` with `errno` set if that fails.
  init?(_ path: String) {
    let number = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    guard let directory = Descriptor(number), let status = directory.status else { return nil }
    identity = status.identity
    self.directory = directory
  }

  var number: CInt { directory.number }

  /// A Boolean value that indicates whether the directory has a name.
  var isLinked: Bool { directory.status?.isLinked == true }
}
