import CLibrary
import Dispatch
import FileSignals
import Foundation

/// The directory of a log, with the segments, and in hidden folders the consumers' cursors and incomplete files.
///
/// Without a scope, it is whatever directory is at the log's path. In a scope, it is one open directory, and all
/// operations are relative to that. An operation that a switch interrupts still ends in the environment in which it
/// began.
final class LogPlace: Sendable {
  let container: AppGroupsContainer
  let name: String
  let url: URL

  /// The number of the contents in the log's scope; 0 without a scope.
  let switchCount: Int

  /// The open directory, or `nil` if the path identifies the directory.
  private let anchor: LogAnchor?
  private let prefix: String

  /// The path of the directory, relative to ``base``.
  let path: String

  /// The directory of a container that contains its logs.
  static let folder = "Logs"
  private static let sharedFolder = ".shared"
  private static let consumersFolder = ".consumers"
  private static let trimLockName = "\(sharedFolder)/trim.lock"

  /// The maximum length of a name, in bytes, which leaves room for the names of its lock and temporary file.
  static let maximumNameLength = 200

  /// Finds the log of a name, and creates its directories if they are missing.
  init(name: String, container: AppGroupsContainer) throws(AppGroupsLogError) {
    url = try Self.url(of: name, in: container)
    let url = url
    if let root = try AppGroupsLogError.examining({ () throws(DurableFileError) in
      try SwitchedRoots.root(switching: url)
    }) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    self.name = name
    self.container = container
    switchCount = 0
    anchor = nil
    path = url.path
    prefix = path + "/"
    try make()
  }

  /// Opens the current directory of a log.
  ///
  /// - Parameters:
  ///   - name: The log's name.
  ///   - container: The container, whose contents must not be switched during the call.
  ///   - switchCount: The number of the contents.
  ///   - isMaking: A Boolean value that indicates whether to create missing directories.
  /// - Throws: ``AppGroupsLogError``.
  init(
    opening name: String, in container: AppGroupsContainer, switchCount: Int, isMaking: Bool
  ) throws(AppGroupsLogError) {
    url = try Self.url(of: name, in: container)
    self.name = name
    self.container = container
    self.switchCount = switchCount
    if isMaking { try Self.makeDirectory(name, in: container) }
    guard let anchor = LogAnchor(url.path) else { throw .inaccessible(DurableFileError(errno, "open", url)) }
    self.anchor = anchor
    (path, prefix) = (".", "")
    if isMaking { try makeFolders() }
  }

  /// Returns the path of a log's directory, relative to the root of its container.
  static func pathInRoot(of name: String) -> String { "\(folder)/\(name)" }

  /// Returns the directory of a log.
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

  /// Creates the missing directories, and refuses a symbolic link in the place of one.
  func make() throws(AppGroupsLogError) {
    if anchor == nil { try Self.makeDirectory(name, in: container) }
    try makeFolders()
  }

  /// Creates the folders of the log's directory, which must exist.
  func makeFolders() throws(AppGroupsLogError) {
    do {
      for (folder, url) in [(Self.sharedFolder, shared), (Self.consumersFolder, consumers)] {
        try GroupDirectory.make(at: path(folder), in: base, of: url, owner: owner)
      }
    } catch {
      throw .unusableContainer(error)
    }
    // The lock file is created here, so that a trim in the background creates nothing in a directory that is being
    // removed.
    if FileLock(path(Self.trimLockName), in: base, .createdIfMissing, of: trimLock, owner: owner) != nil { return }
    // A process that may only read the log trims nothing.
    guard errno == EACCES || errno == EROFS else { throw .inaccessible(DurableFileError(errno, "create", trimLock)) }
  }

  /// Acquires the lock that allows the removal of segments.
  ///
  /// - Parameter isWaiting: A Boolean value that indicates whether to wait for another holder.
  /// - Returns: The lock, or `nil` if there is no log, or if another process holds the lock and `isWaiting` is `false`.
  /// - Throws: ``AppGroupsLogError`` if the lock cannot be acquired.
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
      throw .file(error, to: "trim", of: url)
    }
    return lock
  }

  /// The file of the lock that allows the removal of segments.
  private var trimLock: URL { shared.appending(path: "trim.lock", directoryHint: .notDirectory) }

  // MARK: Paths

  /// The open directory to which the paths of the log are relative.
  var base: CInt { anchor?.number ?? AT_FDCWD }

  /// Returns the path of a file in the directory, relative to ``base``.
  func path(_ name: String) -> String { prefix + name }

  /// Returns the path of a segment, relative to ``base``.
  func path(of segment: SegmentID) -> String { path(segment.fileName) }

  /// Returns the path of an incomplete segment, relative to ``base``.
  func path(ofIncomplete name: String) -> String { path("\(Self.sharedFolder)/\(name)") }

  /// The path of the folder of incomplete segments, relative to ``base``.
  var sharedPath: String { path(Self.sharedFolder) }

  /// The path of the consumers' folder, relative to ``base``.
  var consumersPath: String { path(Self.consumersFolder) }

  /// Returns the path of a consumer's file, relative to ``base``.
  func path(ofConsumerFile name: String) -> String { path("\(Self.consumersFolder)/\(name)") }

  /// The directory, whose owner receives files that the superuser creates.
  var owner: FileStatus? { .ifReadable(path: path, relativeTo: base, followsLinks: false) }

  /// The time of the last change of the directory in nanoseconds; `nil` if it cannot be read.
  var lastChange: Int64? { owner?.stamp.changed }

  /// A Boolean value that indicates whether the log's directory exists.
  var exists: Bool {
    get throws(AppGroupsLogError) {
      if let anchor { return anchor.isLinked }
      return try AppGroupsLogError.examining { () throws(DurableFileError) in
        try FileStatus(path: path, relativeTo: base, followsLinks: false, of: url)?.kind == .directory
      }
    }
  }

  /// A Boolean value that indicates whether the directory is held open, and its path does not matter.
  var isAnchored: Bool { anchor != nil }

  /// A Boolean value that indicates whether the log's path leads to this directory.
  var isAtPath: Bool {
    get throws(AppGroupsLogError) {
      guard let anchor else { return true }
      return try AppGroupsLogError.examining { () throws(DurableFileError) in
        try FileStatus(path: url.path, followsLinks: false)?.identity == anchor.identity
      }
    }
  }

  // MARK: Locations in errors

  /// The folder of incomplete segments.
  var shared: URL { url.appending(path: Self.sharedFolder, directoryHint: .isDirectory) }

  /// The folder of the consumers' cursors.
  var consumers: URL { url.appending(path: Self.consumersFolder, directoryHint: .isDirectory) }

  func url(of segment: SegmentID) -> URL {
    url.appending(path: segment.fileName, directoryHint: .notDirectory)
  }
}

extension LogPlace {
  /// The last change of a log's directory that a listing has seen.
  ///
  /// The system's times of changes advance in steps. A change that has the same time as the last one may follow it within
  /// a step, so the directory counts as outdated until the step is certainly over.
  struct Change {
    private var time: Int64?
    /// The moment after which another change has another time; `nil` if that was so when the directory was listed.
    private var end: DispatchTime?

    /// No known change.
    static var none: Change { Change(end: .now()) }

    /// Records the time of the last change; call it before the directory is listed.
    mutating func update(to time: Int64?) {
      if time != self.time || time == nil {
        // A file system without fractions of seconds has steps of up to two seconds.
        let step = time.map { $0 % 1_000_000_000 } == 0 ? DispatchTimeInterval.seconds(2) : .milliseconds(20)
        (self.time, end) = (time, .now() + step)
      } else if let end, end < .now() {
        self.end = nil
      }
    }

    /// Returns a Boolean value that indicates whether the directory may have changed since it was listed.
    func mayBeOutdated(at time: Int64?) -> Bool { end != nil || time != self.time }
  }
}

/// The open directory of a log.
private final class LogAnchor: Sendable {
  let identity: FileIdentity
  private let directory: Descriptor

  /// Opens a directory, or returns `nil` with `errno` set if that fails.
  init?(_ path: String) {
    guard let directory = Descriptor(directory: path), let status = directory.status else { return nil }
    identity = status.identity
    self.directory = directory
  }

  var number: CInt { directory.number }

  /// A Boolean value that indicates whether the directory has a name.
  var isLinked: Bool { directory.status?.isLinked == true }
}
