import CLibrary
import Foundation

/// The open files that are needed to lock and replace a file: its directory, the folder next to it, and the sidecar.
package final class FilePlace: Sendable {
  let location: FileLocation
  let directory: Descriptor
  let folder: Descriptor
  let sidecar: FileLock

  /// The sidecar's identity, by which the threads of this process exclude each other.
  var key: FileIdentity { sidecar.identity }

  private let directoryIdentity: FileIdentity

  private let confinement: FileConfinement?

  /// The path by which the directory was opened; `nil` if the directory is used wherever it is moved.
  private let directoryPath: String?

  /// Resolves the file and opens these files.
  ///
  /// The folder and the sidecar are created if they are missing.
  convenience init(_ url: URL, within confinement: FileConfinement?) throws(DurableFileError) {
    let location = try FileLocation(resolving: url, within: confinement)
    let opened = try Self.openDirectory(location, within: confinement)
    let path = opened.path
    try self.init(location, in: opened.directory, path: path, within: confinement)
  }

  /// Opens the files needed to lock and replace a file in an open directory, which may be moved at any time.
  ///
  /// - Parameters:
  ///   - url: The file that errors report.
  ///   - path: The file's directory; links are not followed.
  ///   - base: The open directory to which the path is relative.
  /// - Throws: ``DurableFileError``.
  convenience init(_ url: URL, at path: String, in base: CInt) throws(DurableFileError) {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    guard let directory = Descriptor(uninterrupted { openat(base, path, flags) }) else {
      let parent = url.deletingLastPathComponent()
      throw errno == ENOENT ? .directoryNotFound(parent) : DurableFileError(errno, "open", parent)
    }
    try self.init(FileLocation(named: url), in: directory, path: nil, within: nil)
  }

  private init(
    _ location: FileLocation, in directory: consuming Descriptor, path: String?, within confinement: FileConfinement?
  ) throws(DurableFileError) {
    self.location = location
    self.confinement = confinement
    directoryPath = path
    // Before the folder and the sidecar are created, because a suspended process must leave the directory as it is.
    try DirectoryRules.checkOpen(location.url)
    folder = try Self.openFolder(of: location, in: directory)
    sidecar = try Self.openSidecar(of: location, in: folder, directory)
    guard let directoryStatus = directory.status, let status = sidecar.status else {
      throw DurableFileError(errno, "inspect the lock of", location.url)
    }
    guard status.kind == .regular else { throw .notARegularFile(location.lockURL, kind: status.kind.rawValue) }
    directoryIdentity = directoryStatus.identity
    self.directory = directory
  }

  /// A Boolean value that indicates whether the file's path still leads here.
  ///
  /// The caller holds the lock.
  ///
  /// If another process removed the folder, moved the directory or replaced the file with a link before the lock was
  /// acquired, the lock belongs to something else.
  package var isCurrent: Bool {
    get throws(DurableFileError) {
      let isSame = try sidecar.isFile(at: location.lockPath, in: directory.number)
      return isSame ? try leadsToDirectory : false
    }
  }

  /// A Boolean value that indicates whether the file's path still leads to this directory, regardless of the lock.
  var leadsToDirectory: Bool {
    get throws(DurableFileError) {
      guard let directoryPath else { return directory.status?.isLinked == true }
      guard try location.stillLeadsToName else { return false }
      if let confinement, try !confinement.holds(directoryPath, directoryIdentity) { return false }
      // Without a link, the whole path has been checked.
      if confinement != nil, directoryPath == location.directory { return true }
      return try FileStatus(path: location.directory)?.identity == directoryIdentity
    }
  }

  /// Returns the status of the file in the directory, or `nil` if there is none.
  ///
  /// - Throws: ``DurableFileError`` if the status cannot be read, or if something else, such as a link, has replaced the
  ///   file since the path was resolved.
  func fileStatus() throws(DurableFileError) -> FileStatus? {
    let status = try FileStatus(
      path: location.name, relativeTo: directory.number, followsLinks: false, of: location.url)
    guard let status else { return nil }
    guard status.kind == .regular else { throw .notARegularFile(location.url, kind: status.kind.rawValue) }
    return status
  }

  // MARK: Opening

  private static func openDirectory(
    _ location: FileLocation, within confinement: FileConfinement?
  ) throws(DurableFileError) -> FileConfinement.Opened {
    let path = location.directory
    if let confinement {
      if let opened = try confinement.open(path, for: location.name, of: location.url) { return opened }
    } else {
      let number = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      if let directory = Descriptor(number) { return FileConfinement.Opened(directory: directory, path: path) }
    }
    let url = URL(fileURLWithPath: path, isDirectory: true)
    throw errno == ENOENT || errno == ENOTDIR ? .directoryNotFound(url) : DurableFileError(errno, "open", url)
  }

  /// Opens the folder for sidecars and temporary files, which is created if it is missing.
  ///
  /// A link in its place is not followed.
  private static func openFolder(
    of location: FileLocation, in directory: borrowing Descriptor
  ) throws(DurableFileError) -> Descriptor {
    let parent = directory.number
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    // Another process may remove the folder directly after it was created, although this package never does.
    let owner = directory.number
    let folder = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: location.url)) {
      () throws(DurableFileError) -> Descriptor? in
      if let folder = Descriptor(uninterrupted { openat(parent, FileLocation.sharedFolder, flags) }) { return folder }
      guard errno == ENOENT else { throw folderFailure(errno, location, parent) }
      if mkdirat(parent, FileLocation.sharedFolder, 0o700) == 0 {
        let made = Descriptor(uninterrupted { openat(parent, FileLocation.sharedFolder, flags) })
        if let made { inheritOwner(made.number, from: FileStatus(descriptor: owner)) }
      } else if errno != EEXIST {
        let directoryURL = URL(fileURLWithPath: location.directory, isDirectory: true)
        throw errno == ENOENT ? .directoryNotFound(directoryURL) : DurableFileError(errno, "create", location.folderURL)
      }
      return Descriptor(uninterrupted { openat(parent, FileLocation.sharedFolder, flags) })
    }
    guard let folder else { throw .system(operation: "create", path: location.folderURL.path, errno: ESTALE) }
    return folder
  }

  /// Returns the error of opening the folder; something else may have its name.
  private static func folderFailure(_ errno: CInt, _ location: FileLocation, _ parent: CInt) -> DurableFileError {
    let status = FileStatus.ifReadable(path: FileLocation.sharedFolder, relativeTo: parent, followsLinks: false)
    guard let kind = status?.kind, kind != .directory else {
      return DurableFileError(errno, "open", location.folderURL)
    }
    return .notADirectory(location.folderURL, kind: kind.rawValue)
  }

  private static func openSidecar(
    of location: FileLocation, in folder: borrowing Descriptor, _ directory: borrowing Descriptor
  ) throws(DurableFileError) -> FileLock {
    let (parent, owner) = (folder.number, directory.number)
    var failure = ENOENT
    var sidecar: FileLock?
    _ = FileLock.waiting.repeating(within: DirectoryRules.patience(for: location.url)) { () -> Bool? in
      sidecar = FileLock(
        location.lockName, in: parent, .createdIfMissing, of: location.url, owner: FileStatus(descriptor: owner))
      if sidecar != nil { return true }
      failure = errno
      return failure == ENOENT ? nil : false
    }
    if let sidecar { return sidecar }
    let kind = FileStatus.ifReadable(path: location.lockName, relativeTo: parent, followsLinks: false)?.kind
    if let kind, kind != .regular {
      throw .notARegularFile(location.lockURL, kind: kind.rawValue)
    }
    throw DurableFileError(failure, "create the lock of", location.url)
  }
}
