package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that no other thread and no other process writes for as long as this object holds its lock.
///
/// Everything is done relative to open directories, so a directory that is moved or replaced meanwhile cannot make half
/// of an operation happen elsewhere. The lock is `flock` on a sidecar, which the kernel releases when the process dies.
/// Use it on one thread, and call ``unlock()`` on that thread.
package final class ExclusiveFile {
  let location: FileLocation
  let directory: Descriptor
  let folder: Descriptor

  /// The open sidecar; `nil` if an outer call on this thread holds the lock, or after it was released.
  private var sidecar: Descriptor?
  private let key: FileIdentity

  /// Waits until no other thread and no other process has the file, and locks it.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - joinsOuterLock: Whether to work under the lock that this thread already holds, instead of throwing.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync, message: "It may wait for another process; use the async form")
  package init(locking url: URL, joinsOuterLock: Bool = false) throws(DurableFileError) {
    let location = try FileLocation(resolving: url)
    var attempts = 0
    while true {
      let directory = try Self.openDirectory(location)
      let folder = try Self.openFolder(of: location, in: directory)
      let sidecar = try Self.openSidecar(of: location, in: folder)
      guard let status = sidecar.status else { throw DurableFileError(errno, "look at the lock of", url) }
      guard status.kind == .regular else { throw .notARegularFile(url, kind: "locked by \(status.kind.rawValue)") }
      let key = status.identity
      guard ThreadLocks.shared.acquire(key) else {
        guard joinsOuterLock else { throw .reentrantLock(url) }
        self.location = location
        self.directory = directory
        self.folder = folder
        self.key = key
        self.sidecar = nil
        return
      }
      guard uninterrupted({ flock(sidecar.number, LOCK_EX) }) == 0 else {
        let error = DurableFileError(errno, "lock", url)
        ThreadLocks.shared.release(key)
        throw error
      }
      // Whoever removed the folder or moved the directory while we waited left us the lock of something else.
      let sidecarNow = FileStatus(path: location.lockName, relativeTo: folder.number, followsLinks: false)
      let folderNow = FileStatus(path: FileLocation.sharedFolder, relativeTo: directory.number, followsLinks: false)
      let directoryNow = FileStatus(path: location.directory)
      if sidecarNow?.identity == key, folderNow?.identity == folder.status?.identity,
        directoryNow?.identity == directory.status?.identity
      {
        self.location = location
        self.directory = directory
        self.folder = folder
        self.key = key
        self.sidecar = consume sidecar
        return
      }
      ThreadLocks.shared.release(key)
      attempts += 1
      guard attempts < 1000 else { throw .system(operation: "lock", path: url.path, errno: ESTALE) }
    }
  }

  deinit {
    unlock()
  }

  /// Lets others have the file.
  ///
  /// Does nothing the second time, or under an outer lock.
  package func unlock() {
    guard sidecar != nil else { return }
    // Closing is what unlocks: no other descriptor of this process refers to the same open file.
    sidecar = nil
    ThreadLocks.shared.release(key)
  }

  // MARK: Reading

  /// The file's content, or `nil` if there is no file.
  package func read() throws(DurableFileError) -> Data? {
    do {
      return try FileReader.read(location.name, in: directory.number, url: location.url)
    } catch .notFound {
      return nil
    }
  }

  // MARK: Writing

  /// Writes new content to a temporary file, ready to take the file's place.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - durability: Whether it is to be on the disk when this returns.
  ///   - mode: The permissions of the file; by default those of the file that it replaces, or 0600.
  /// - Returns: The write, for ``PreparedWrite/commit(creatingOnly:)`` to finish.
  /// - Throws: ``DurableFileError``; the file is as it was, and nothing is left beside it.
  package func prepare(
    _ data: Data, durability: Durability, mode: UInt16? = nil
  ) throws(DurableFileError) -> PreparedWrite {
    try PreparedWrite(data, to: self, durability: durability, mode: mode)
  }

  /// Waits until the directory, and with it a new name, is on the disk.
  package func synchronizeDirectory() throws(DurableFileError) {
    // Some file systems cannot, and say so with EINVAL; there it is not needed or not possible.
    guard uninterrupted({ fsync(directory.number) }) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw DurableFileError(errno, "synchronize the directory of", location.url)
    }
  }

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
    let url = URL(fileURLWithPath: "\(location.directory)/\(FileLocation.sharedFolder)", isDirectory: true)
    // Another process may remove the folder right after we have made it, though none of ours does.
    for _ in 0..<100 {
      if let folder = Descriptor(uninterrupted { openat(parent, FileLocation.sharedFolder, flags) }) { return folder }
      guard errno == ENOENT else { throw DurableFileError(errno, "open", url) }
      guard mkdirat(parent, FileLocation.sharedFolder, 0o700) != 0, errno != EEXIST else { continue }
      let directoryURL = URL(fileURLWithPath: location.directory, isDirectory: true)
      throw errno == ENOENT ? .directoryNotFound(directoryURL) : DurableFileError(errno, "create", url)
    }
    throw .system(operation: "create", path: url.path, errno: ESTALE)
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
