import CLibrary
package import Foundation

/// A file that no other thread or process writes while this object holds its lock.
///
/// All operations are relative to open directories, so moving or replacing a directory cannot redirect half of an
/// operation. The lock is an `flock` on a sidecar file, which the kernel releases when the process dies. Use the object
/// on one thread, and call ``unlock()`` on that thread.
package final class ExclusiveFile {
  package let descriptors: FileDescriptors

  /// A Boolean value that indicates whether this object holds the lock.
  ///
  /// It is `false` if an outer call on this thread holds it, or after the lock has been released.
  private(set) var isLocked: Bool

  /// The status of the file from the moment at which it was locked, until it is used.
  private var found: FileStatus?

  /// Waits until no other thread or process holds the file's lock, and acquires it.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - confinement: The directory that the file must not lead out of.
  ///   - joinsOuterLock: A Boolean value that determines whether to use a lock that this thread already holds, instead
  ///     of throwing.
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched.
  ///     Several objects for one file share one lock during a switch. A later object joins the lock, and must be unlocked
  ///     after the object that holds it.
  ///   - limit: The longest time to wait, or `nil` for the limit of the directory.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync, message: "It may wait for another process; use the async form")
  package init(
    locking url: URL, within confinement: FileConfinement? = nil, joinsOuterLock: Bool = false,
    isForSwitch: Bool = false, limit: Duration? = nil
  ) throws(DurableFileError) {
    let hold: Hold
    (descriptors, hold) = try Self.repeating(at: url, limit) { () throws(DurableFileError) in
      let descriptors = try FileDescriptors(url, within: confinement)
      let hold = try Self.lock(descriptors, joinsOuterLock: joinsOuterLock, isForSwitch: isForSwitch, limit: limit)
      return hold.map { (descriptors, $0) }
    }
    (isLocked, found) = (hold.isOwn, hold.file)
  }

  /// Waits until no other thread or process holds the lock of a file in an open directory, and acquires it.
  ///
  /// The directory may be moved at any time.
  ///
  /// - Parameters:
  ///   - url: The file that errors report.
  ///   - path: The file's directory; links are not followed.
  ///   - base: The open directory to which the path is relative.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package init(locking url: URL, at path: String, in base: CInt) throws(DurableFileError) {
    let hold: Hold
    (descriptors, hold) = try Self.repeating(at: url) { () throws(DurableFileError) in
      let descriptors = try FileDescriptors(url, at: path, in: base)
      return try Self.lock(descriptors).map { (descriptors, $0) }
    }
    (isLocked, found) = (hold.isOwn, hold.file)
  }

  /// Locks a file again for as long as other programs keep replacing its directory or its lock.
  @available(*, noasync)
  private static func repeating(
    at url: URL, _ limit: Duration? = nil, _ attempt: () throws(DurableFileError) -> (FileDescriptors, Hold)?
  ) throws(DurableFileError) -> (FileDescriptors, Hold) {
    let locked = try FileLock.waiting.repeating(within: limit ?? DirectoryRules.patience(for: url), attempt)
    guard let locked else { throw .system(operation: "lock", path: url.path, errno: ESTALE) }
    return locked
  }

  /// Waits until no other thread or process holds a file's lock, and acquires it.
  ///
  /// Fails if the path no longer leads to the open files.
  @available(*, noasync)
  init?(
    locking descriptors: FileDescriptors, isForSwitch: Bool, limit: Duration?, isVouchedFor: (FileDescriptors) -> Bool
  ) throws(DurableFileError) {
    let hold = try Self.lock(descriptors, isForSwitch: isForSwitch, limit: limit, isVouchedFor: isVouchedFor)
    guard let hold else { return nil }
    self.descriptors = descriptors
    (isLocked, found) = (hold.isOwn, hold.file)
  }

  /// Creates the object that holds a file's lock.
  init(holding descriptors: FileDescriptors) {
    self.descriptors = descriptors
    isLocked = true
  }

  // MARK: The lock

  /// A lock that this thread holds.
  struct Hold {
    /// A Boolean value that indicates whether this call acquired it, and not an outer object on the same thread.
    let isOwn: Bool
    /// The status of the file, if it was read after the lock had been acquired.
    var file: FileStatus?

    static let outer = Hold(isOwn: false)
  }

  /// Acquires a file's lock, first among the threads of this process, and then among processes.
  ///
  /// - Parameters:
  ///   - descriptors: The open files.
  ///   - joinsOuterLock: A Boolean value that indicates whether to join a lock that this thread already holds.
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched.
  ///   - limit: The longest time to wait, or `nil` for the limit of the directory.
  ///   - waits: A Boolean value that indicates whether to wait while the lock is held elsewhere.
  ///   - isVouchedFor: A closure that is called with the lock held, and returns whether the path is known to lead to the
  ///     open files.
  /// - Returns: The lock, or `nil` if the lock is held elsewhere or the file's path no longer leads to the
  ///   open files.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  static func lock(
    _ descriptors: FileDescriptors, joinsOuterLock: Bool = false, isForSwitch: Bool = false, limit: Duration? = nil,
    waits: Bool = true, isVouchedFor: (FileDescriptors) -> Bool = { _ in false }
  ) throws(DurableFileError) -> Hold? {
    let claim = descriptors.claim
    if waits, let limit = limit ?? DirectoryRules.limit(for: descriptors.url) {
      return try lock(
        descriptors, joinsOuterLock: joinsOuterLock, isForSwitch: isForSwitch, within: limit,
        isVouchedFor: isVouchedFor)
    }
    switch ThreadLocks.acquire(claim, isForSwitch: isForSwitch, waits: waits) {
    case .taken: break
    case .joined: return .outer
    case .refused:
      guard joinsOuterLock else { throw .reentrantLock(descriptors.url) }
      return .outer
    case .busy: return nil
    }
    var isLocked = false
    defer { if !isLocked { ThreadLocks.release(claim) } }
    claim.note(.sought)
    if waits {
      try descriptors.sidecar.acquire()
    } else {
      guard try descriptors.sidecar.tryAcquire() else { return nil }
    }
    claim.note(.held)
    defer { if !isLocked { descriptors.sidecar.unlock() } }
    // The wait may have lasted longer than a suspension waited for it.
    try DirectoryRules.checkOpen(descriptors.url, except: claim)
    var hold = Hold(isOwn: true)
    if !isVouchedFor(descriptors) { guard try descriptors.isCurrent(&hold.file) else { return nil } }
    isLocked = true
    LockHolder.record(in: descriptors.sidecar.number)
    return hold
  }

  /// Acquires a file's lock within a limit; see the method without a limit.
  @available(*, noasync)
  private static func lock(
    _ descriptors: FileDescriptors, joinsOuterLock: Bool, isForSwitch: Bool, within limit: Duration,
    isVouchedFor: (FileDescriptors) -> Bool
  ) throws(DurableFileError) -> Hold? {
    let end = try FileLock.waiting.repeating(within: limit) { () throws(DurableFileError) -> Hold?? in
      let hold = try lock(
        descriptors, joinsOuterLock: joinsOuterLock, isForSwitch: isForSwitch, waits: false, isVouchedFor: isVouchedFor)
      if let hold { return hold }
      // It ends without a lock if the path leads elsewhere.
      return try descriptors.isCurrent ? nil : .some(nil)
    }
    guard let hold = end else {
      throw .lockTimeout(descriptors.url, after: limit, holder: descriptors.sidecar.holder)
    }
    return hold
  }

  deinit {
    unlock()
  }

  /// Releases the lock.
  ///
  /// Does nothing the second time, or under an outer lock.
  package func unlock() {
    guard isLocked else { return }
    isLocked = false
    descriptors.sidecar.unlock()
    ThreadLocks.release(descriptors.claim)
  }

  /// A Boolean value that indicates whether the file's path still leads to the directory that this object uses.
  package var isInPlace: Bool { get throws(DurableFileError) { try descriptors.leadsToDirectory } }

  /// Returns a Boolean value that indicates whether the file's path leads to content that was just put in place.
  ///
  /// It is `false` if another program has replaced the file or its directory since then, or if that is unknown.
  package func leads(to write: PreparedWrite) -> Bool {
    tolerating(else: false) {
      try write.isFile(with: descriptors.stampAtPath())
    }
  }

  // MARK: Reading

  /// Finds out whether no program has changed the file since it had a stamp.
  ///
  /// - Parameter stamp: A stamp from ``PreparedWrite/stamp``.
  /// - Returns: `false` if that is unknown.
  package func isUnchanged(since stamp: FileStamp?) -> Bool { stamp != nil && found?.stamp == stamp }

  /// The stamp of the file, or `nil` if there is no file or its stamp cannot be read.
  ///
  /// Before the file is read, it is the stamp from the moment at which the file was locked.
  package var stamp: FileStamp? { (found ?? descriptors.statusIfReadable)?.stamp }

  /// Returns a Boolean value that indicates whether the file exists.
  package func exists() throws(DurableFileError) -> Bool { try descriptors.fileStatus() != nil }

  /// Returns the content of the file, or `nil` if there is no file.
  ///
  /// - Parameter limit: The maximum number of bytes. Nothing is read from a larger file.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  package func read(limit: Int = .max) throws(DurableFileError) -> Data? {
    do {
      return try content(limit: limit)
    } catch .notFound {
      return nil
    } catch .linkLoop(let url) {
      // A link has replaced the file since the path was resolved.
      throw .notARegularFile(url, kind: FileStatus.Kind.link.rawValue)
    }
  }

  private func content(limit: Int) throws(DurableFileError) -> Data {
    let (name, directory) = (descriptors.name, descriptors.directory.number)
    return try FileReader.read(
      name, in: directory, followsLinks: false, status: found.take(), limit: limit, url: descriptors.url)
  }

  // MARK: Writing

  /// Writes new content to a temporary file that is ready to replace the file.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - durability: The failures that the content survives after this method returns.
  ///   - mode: The permissions of the file; by default the permissions of the file that it replaces, or 0600.
  ///   - maker: Who is to be noted as the maker of the new version.
  /// - Returns: The write, to be finished with ``PreparedWrite/commit(creatingOnly:)``.
  /// - Throws: ``DurableFileError``. The file is then unchanged, and no temporary file is left behind.
  package func prepare(
    _ data: Data, durability: Durability, mode: UInt16? = nil, by maker: Provenance.Note = .current
  ) throws(DurableFileError) -> PreparedWrite {
    found = nil
    return try PreparedWrite(data, to: self, durability: durability, mode: mode, maker)
  }

  /// Begins to write new content in pieces, of any total size.
  ///
  /// - Parameter mode: The permissions of the file; by default the permissions of the file that it replaces, or 0600.
  /// - Returns: The write. Call ``PreparedWrite/append(_:)``, ``PreparedWrite/finish(durability:)`` and then
  ///   ``PreparedWrite/commit(creatingOnly:)``.
  /// - Throws: ``DurableFileError``. The file is then unchanged, and no temporary file is left behind.
  package func prepareInPieces(mode: UInt16? = nil) throws(DurableFileError) -> PreparedWrite {
    found = nil
    return try PreparedWrite(inPiecesTo: self, mode: mode)
  }

  /// Waits until the current content of the file, from any writer, and its name are on the disk.
  ///
  /// Does nothing if there is no file.
  package func synchronize() throws(DurableFileError) {
    let number = uninterrupted {
      openat(descriptors.directory.number, descriptors.name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }
    guard let file = Descriptor(number) else {
      if errno == ENOENT { return }
      throw DurableFileError(errno, "open", descriptors.url)
    }
    try PreparedWrite.synchronize(file.number, of: descriptors.url)
    try synchronizeDirectory()
  }

  /// Waits until the directory, and with it a new name, is on the disk.
  package func synchronizeDirectory() throws(DurableFileError) {
    guard synchronizeNames(descriptors.directory.number) else {
      throw DurableFileError(errno, "synchronize the directory of", descriptors.url)
    }
  }
}
