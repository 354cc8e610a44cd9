import CLibrary
package import Foundation
import Signals
import Synchronization

/// The open directory of a file, the folder next to the file, and the lock in that folder.
///
/// With them, a file is locked and replaced wherever its directory is moved.
package final class FileDescriptors: Sendable {
  let directory: Descriptor
  let folder: Descriptor
  let sidecar: FileLock

  /// The requested URL, which errors report.
  package let url: URL

  /// The path of the directory after symbolic links of the file have been resolved; others may remain in it.
  var directoryPath: String { resolved.directory }

  /// The file's name in the directory; the file need not exist.
  var name: String { resolved.name }

  /// The name as the system takes it, because converting it takes longer than a call.
  private let nameBytes: ContiguousArray<CChar>

  let lockName: String
  let temporaryName: String

  /// The path of the sidecar, relative to the directory.
  let lockPath: String

  /// The share in the lock by which the threads of this process exclude each other.
  let claim: ThreadLocks.Claim

  /// A Boolean value that indicates whether the directory's file system is known to have a clock with
  /// ``FileStamp/isFine(since:)``.
  let hasFineClock = Atomic(false)

  /// The version that this process noted last in the lock, and the place of its record.
  let lastNote = Guarded<(place: Int, stamp: FileStamp)?>(nil)

  /// The makers that this process has noted in the lock.
  let noted = Guarded<[NotedMaker]>([])

  private let directoryIdentity: FileIdentity
  private let resolved: FileLocation.Resolved
  private let confinement: FileConfinement?

  /// The path by which the directory was opened; `nil` if the directory is used wherever it is moved.
  private let openedPath: String?

  /// Resolves the file and opens these files.
  ///
  /// The folder and the sidecar are created if they are missing.
  convenience init(_ url: URL, within confinement: FileConfinement?) throws(DurableFileError) {
    let resolved = try FileLocation.resolve(url, within: confinement)
    let opened = try Self.openDirectory(resolved.directory, for: resolved.name, of: url, within: confinement)
    let path = opened.path
    try self.init(url, resolved, in: opened.directory, path: path, within: confinement)
  }

  /// Opens the files needed to lock and replace a file in an open directory, which may be moved at any time.
  ///
  /// - Parameters:
  ///   - url: The file that errors report.
  ///   - path: The file's directory; links are not followed.
  ///   - base: The open directory to which the path is relative.
  /// - Throws: ``DurableFileError``.
  convenience init(_ url: URL, at path: String, in base: CInt) throws(DurableFileError) {
    guard let directory = Descriptor(directory: path, in: base) else {
      let parent = url.deletingLastPathComponent()
      throw errno == ENOENT ? .directoryNotFound(parent) : DurableFileError(errno, "open", parent)
    }
    let asked = try FileLocation.validPath(of: url)
    let (parent, name) = FileLocation.split(asked)
    try self.init(url, (asked, parent, name, false), in: directory, path: nil, within: nil)
  }

  private init(
    _ url: URL, _ resolved: FileLocation.Resolved, in directory: consuming Descriptor, path: String?,
    within confinement: FileConfinement?
  ) throws(DurableFileError) {
    self.url = url
    self.resolved = resolved
    nameBytes = resolved.name.utf8CString
    (lockName, temporaryName) = (resolved.name + ".lock", resolved.name + ".tmp")
    lockPath = "\(FileLocation.sharedFolder)/\(lockName)"
    self.confinement = confinement
    openedPath = path
    // Before the folder and the sidecar are created, because a suspended process must leave the directory as it is.
    try DirectoryRules.checkOpen(url)
    let folderURL = URL(fileURLWithPath: "\(resolved.directory)/\(FileLocation.sharedFolder)", isDirectory: true)
    folder = try Self.openFolder(folderURL, in: directory, for: url)
    let lockURL = URL(fileURLWithPath: "\(resolved.directory)/\(lockPath)", isDirectory: false)
    sidecar = try Self.openSidecar(lockName, lockURL, in: folder, directory, for: url)
    guard let directoryStatus = directory.status, let status = sidecar.status else {
      throw DurableFileError(errno, "inspect the lock of", url)
    }
    guard status.kind == .regular else { throw .notARegularFile(lockURL, kind: status.kind.rawValue) }
    directoryIdentity = directoryStatus.identity
    self.directory = directory
    claim = ThreadLocks.shared.claim(sidecar.identity, of: url)
  }

  deinit {
    ThreadLocks.shared.giveBack(claim)
  }

  /// A Boolean value that indicates whether the file's path still leads here.
  ///
  /// The caller holds the lock.
  ///
  /// If another process removed the folder, moved the directory or replaced the file with a link before the lock was
  /// acquired, the lock belongs to something else.
  package var isCurrent: Bool {
    get throws(DurableFileError) {
      var status: FileStatus?
      return try isCurrent(&status)
    }
  }

  /// Returns the same as ``isCurrent``, and the status of the file if it had to be read.
  func isCurrent(_ status: inout FileStatus?) throws(DurableFileError) -> Bool {
    guard try sidecar.isFile(at: lockPath, in: directory.number), try leadsToDirectory else { return false }
    if openedPath == nil || resolved.isLinked { return true }
    do throws(DurableFileError) {
      status = try fileStatus()
      return true
    } catch .notARegularFile {
      // Something else has taken the place of the file, such as a link, which must be followed.
      return false
    }
  }

  /// A Boolean value that indicates whether the file's path still leads to this directory, regardless of the lock.
  var leadsToDirectory: Bool {
    get throws(DurableFileError) {
      guard let openedPath else { return directory.status?.isLinked == true }
      if resolved.isLinked, try !FileLocation.leads(resolved, url) { return false }
      if let confinement, try !confinement.holds(openedPath, directoryIdentity) { return false }
      // Without a link, the path is the one that has been checked.
      if confinement != nil, openedPath == directoryPath { return true }
      return try FileStatus(path: directoryPath)?.identity == directoryIdentity
    }
  }

  /// Returns the status of the file in the directory, or `nil` if there is none.
  ///
  /// - Throws: ``DurableFileError`` if the status cannot be read, or if something else, such as a link, has replaced the
  ///   file since the path was resolved.
  func fileStatus() throws(DurableFileError) -> FileStatus? {
    let status = try FileStatus(path: name, relativeTo: directory.number, followsLinks: false, of: url)
    guard let status else { return nil }
    guard status.kind == .regular else { throw .notARegularFile(url, kind: status.kind.rawValue) }
    return status
  }

  /// The status of what has the file's name in the directory, or `nil` if it cannot be read.
  package var statusIfReadable: FileStatus? {
    nameBytes.withUnsafeBufferPointer {
      // Sound: the bytes end with a zero.
      .ifReadable(path: $0.baseAddress.unsafelyUnwrapped, relativeTo: directory.number, followsLinks: false)
    }
  }

  /// Returns the stamp of the file to which the requested path leads now, or `nil` if there is none.
  func stampAtPath() throws(DurableFileError) -> FileStamp? {
    try FileStatus(path: resolved.asked, of: url)?.stamp
  }

  // MARK: Opening

  private static func openDirectory(
    _ path: String, for name: String, of url: URL, within confinement: FileConfinement?
  ) throws(DurableFileError) -> FileConfinement.Opened {
    if let confinement {
      if let opened = try confinement.open(path, for: name, of: url) { return opened }
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
    _ folderURL: URL, in directory: borrowing Descriptor, for url: URL
  ) throws(DurableFileError) -> Descriptor {
    let parent = directory.number
    // Another process may remove the folder directly after it was created, although this package never does.
    let folder = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> Descriptor? in
      if let folder = Descriptor(directory: FileLocation.sharedFolder, in: parent) { return folder }
      guard errno == ENOENT else { throw folderFailure(errno, folderURL, parent) }
      if mkdirat(parent, FileLocation.sharedFolder, 0o700) == 0 {
        if let made = Descriptor(directory: FileLocation.sharedFolder, in: parent) {
          inheritOwner(made.number, from: FileStatus(descriptor: parent))
        }
      } else if errno != EEXIST {
        throw errno == ENOENT
          ? .directoryNotFound(folderURL.deletingLastPathComponent()) : DurableFileError(errno, "create", folderURL)
      }
      return Descriptor(directory: FileLocation.sharedFolder, in: parent)
    }
    guard let folder else { throw .system(operation: "create", path: folderURL.path, errno: ESTALE) }
    return folder
  }

  /// Returns the error of opening the folder; something else may have its name.
  private static func folderFailure(_ errno: CInt, _ folderURL: URL, _ parent: CInt) -> DurableFileError {
    let status = FileStatus.ifReadable(path: FileLocation.sharedFolder, relativeTo: parent, followsLinks: false)
    guard let kind = status?.kind, kind != .directory else { return DurableFileError(errno, "open", folderURL) }
    return .notADirectory(folderURL, kind: kind.rawValue)
  }

  private static func openSidecar(
    _ name: String, _ lockURL: URL, in folder: borrowing Descriptor, _ directory: borrowing Descriptor, for url: URL
  ) throws(DurableFileError) -> FileLock {
    let (parent, owner) = (folder.number, directory.number)
    var failure = ENOENT
    var sidecar: FileLock?
    _ = FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) { () -> Bool? in
      sidecar = FileLock(name, in: parent, .createdIfMissing, of: url, owner: FileStatus(descriptor: owner))
      if sidecar != nil { return true }
      failure = errno
      return failure == ENOENT ? nil : false
    }
    if let sidecar { return sidecar }
    let kind = FileStatus.ifReadable(path: name, relativeTo: parent, followsLinks: false)?.kind
    if let kind, kind != .regular { throw .notARegularFile(lockURL, kind: kind.rawValue) }
    throw DurableFileError(failure, "create the lock of", url)
  }
}
