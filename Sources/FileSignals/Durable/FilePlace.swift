import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What has to be open in order to lock and replace a file: its directory, the folder beside it, and the sidecar.
package final class FilePlace: Sendable {
  let location: FileLocation
  let directory: Descriptor
  let folder: Descriptor
  let sidecar: Descriptor

  /// The sidecar's identity, by which the threads of this process are kept apart.
  let key: FileIdentity
  private let directoryIdentity: FileIdentity

  /// Finds the file and opens what belongs to it; folder and sidecar are made if missing.
  init(_ url: URL) throws(DurableFileError) {
    location = try FileLocation(resolving: url)
    directory = try Self.openDirectory(location)
    folder = try Self.openFolder(of: location, in: directory)
    sidecar = try Self.openSidecar(of: location, in: folder)
    for made in [folder.number, sidecar.number] { Self.giveBack(made, as: directory) }
    guard let directoryStatus = directory.status, let status = sidecar.status else {
      throw DurableFileError(errno, "look at the lock of", url)
    }
    guard status.kind == .regular else { throw .notARegularFile(url, kind: "locked by \(status.kind.rawValue)") }
    directoryIdentity = directoryStatus.identity
    key = status.identity
  }

  /// Whether the file's path still leads here; to be asked with the lock held.
  ///
  /// Whoever removed the folder, moved the directory or put a link in the file's place, before or while we waited for
  /// the lock, left us the lock of something else.
  package var isCurrent: Bool {
    let path = location.lockPath
    guard FileStatus(path: path, relativeTo: directory.number, followsLinks: false)?.identity == key else {
      return false
    }
    return leadsToDirectory
  }

  /// Whether the file's path still leads into this directory, whatever has become of the lock.
  var leadsToDirectory: Bool { location.stillLeads(to: directoryIdentity) }

  // MARK: Opening

  private static func openDirectory(_ location: FileLocation) throws(DurableFileError) -> Descriptor {
    let number = uninterrupted { open(location.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    if let directory = Descriptor(number) { return directory }
    let url = URL(fileURLWithPath: location.directory, isDirectory: true)
    throw errno == ENOENT ? .directoryNotFound(url) : DurableFileError(errno, "open", url)
  }

  /// Opens the folder for sidecars and temporary files, which is made if missing; a link in its place is not followed.
  private static func openFolder(
    of location: FileLocation, in directory: borrowing Descriptor
  ) throws(DurableFileError) -> Descriptor {
    let parent = directory.number
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    // Another process may remove the folder right after we have made it, though none of ours does.
    for _ in 0..<100 {
      if let folder = Descriptor(uninterrupted { openat(parent, FileLocation.sharedFolder, flags) }) { return folder }
      guard errno == ENOENT else { throw DurableFileError(errno, "open", location.folderURL) }
      guard mkdirat(parent, FileLocation.sharedFolder, 0o700) != 0, errno != EEXIST else { continue }
      let directoryURL = URL(fileURLWithPath: location.directory, isDirectory: true)
      throw errno == ENOENT ? .directoryNotFound(directoryURL) : DurableFileError(errno, "create", location.folderURL)
    }
    throw .system(operation: "create", path: location.folderURL.path, errno: ESTALE)
  }

  /// Lets the owner of the directory have what the superuser has made there, and would have for itself.
  private static func giveBack(_ number: CInt, as directory: borrowing Descriptor) {
    guard geteuid() == 0, let owner = directory.status, owner.owner != 0 else { return }
    var status = stat()
    guard fstat(number, &status) == 0, status.st_uid == 0 else { return }
    _ = fchown(number, owner.owner, owner.group)
  }

  private static func openSidecar(
    of location: FileLocation, in folder: borrowing Descriptor
  ) throws(DurableFileError) -> Descriptor {
    let parent = folder.number
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    for _ in 0..<100 {
      if let sidecar = Descriptor(uninterrupted { openat(parent, location.lockName, flags, 0o600) }) { return sidecar }
      guard errno == ENOENT else { break }
    }
    throw DurableFileError(errno, "create the lock of", location.url)
  }
}
