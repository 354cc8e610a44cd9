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
  package let place: FilePlace

  /// Whether this object holds the lock, and not an outer call on this thread, or nobody any more.
  private(set) var isLocked: Bool

  /// Waits until no other thread and no other process has the file, and locks it.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - confinement: What the file must not lead out of.
  ///   - joinsOuterLock: Whether to work under the lock that this thread already holds, instead of throwing.
  ///   - isForSwap: Whether the contents around the file are about to be swapped. Several objects for one file take part
  ///     in that together: whoever comes later joins, and is to be unlocked after the one that holds the lock.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync, message: "It may wait for another process; use the async form")
  package init(
    locking url: URL, within confinement: FileConfinement? = nil, joinsOuterLock: Bool = false, isForSwap: Bool = false
  ) throws(DurableFileError) {
    for _ in 0..<1000 {
      let place = try FilePlace(url, within: confinement)
      guard let hold = try Self.lock(place, joinsOuterLock: joinsOuterLock, isForSwap: isForSwap) else { continue }
      self.place = place
      isLocked = hold == .own
      return
    }
    throw .system(operation: "lock", path: url.path, errno: ESTALE)
  }

  /// Waits until no other thread and no other process has the file that was at a place, and locks it; fails if the path
  /// does not lead there any more.
  @available(*, noasync)
  init?(locking place: FilePlace, isForSwap: Bool) throws(DurableFileError) {
    guard let hold = try Self.lock(place, isForSwap: isForSwap) else { return nil }
    self.place = place
    isLocked = hold == .own
  }

  /// Makes the object that holds the lock of a place.
  init(holding place: FilePlace) {
    self.place = place
    isLocked = true
  }

  // MARK: The lock

  /// The object that releases a lock.
  enum Hold {
    /// The one that acquired it.
    case own
    /// An outer one on the same thread.
    case outer
  }

  /// Acquires the lock of a place, first among the threads of this process, then among processes.
  ///
  /// - Parameters:
  ///   - place: The place.
  ///   - joinsOuterLock: A Boolean value that indicates whether to join a lock that this thread already holds.
  ///   - isForSwap: A Boolean value that indicates whether the contents around the file are about to be swapped.
  ///   - waits: A Boolean value that indicates whether to wait while the lock is held elsewhere.
  /// - Returns: The object that releases the lock. It is `nil` if the lock is held elsewhere, or if the file's path does
  ///   not lead to the place any more.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  static func lock(
    _ place: FilePlace, joinsOuterLock: Bool = false, isForSwap: Bool = false, waits: Bool = true
  ) throws(DurableFileError) -> Hold? {
    switch ThreadLocks.shared.acquire(place.key, isForSwap: isForSwap, waits: waits) {
    case .taken: break
    case .joined: return .outer
    case .refused:
      guard joinsOuterLock else { throw .reentrantLock(place.location.url) }
      return .outer
    case .busy: return nil
    }
    var isLocked = false
    defer { if !isLocked { ThreadLocks.shared.release(place.key) } }
    if waits {
      try place.sidecar.lock()
    } else {
      guard try place.sidecar.tryLock() else { return nil }
    }
    isLocked = place.isCurrent
    if !isLocked { place.sidecar.unlock() }
    return isLocked ? .own : nil
  }

  deinit {
    unlock()
  }

  /// Lets others have the file.
  ///
  /// Does nothing the second time, or under an outer lock.
  package func unlock() {
    guard isLocked else { return }
    isLocked = false
    place.sidecar.unlock()
    ThreadLocks.shared.release(place.key)
  }

  /// Whether the file's path still leads to where this object reads and writes.
  package var isInPlace: Bool { place.leadsToDirectory }

  // MARK: Reading

  /// Whether there is a file.
  package func exists() throws(DurableFileError) -> Bool { try place.fileStatus() != nil }

  /// The file's content, or `nil` if there is no file.
  ///
  /// - Parameter limit: How many bytes it may have; of more, none is read.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  package func read(limit: Int = .max) throws(DurableFileError) -> Data? {
    do {
      return try content(limit: limit)
    } catch .notFound {
      return nil
    } catch .linkLoop(let url) {
      // It has taken the file's place since the path was resolved.
      throw .notARegularFile(url, kind: FileStatus.Kind.link.rawValue)
    }
  }

  private func content(limit: Int) throws(DurableFileError) -> Data {
    let (name, directory) = (place.location.name, place.directory.number)
    return try FileReader.read(name, in: directory, followsLinks: false, limit: limit, url: place.location.url)
  }

  /// Whether the file has this content and is no link; to be asked at any time, also after ``unlock()``.
  package func holds(_ data: Data) -> Bool {
    do {
      return try content(limit: data.count) == data
    } catch {
      return false
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

  /// Begins new content that comes in pieces, however much it is.
  ///
  /// - Parameter mode: The permissions of the file; by default those of the file that it replaces, or 0600.
  /// - Returns: The write, for ``PreparedWrite/append(_:)``, ``PreparedWrite/finish(durability:)`` and, after those,
  ///   ``PreparedWrite/commit(creatingOnly:)``.
  /// - Throws: ``DurableFileError``; the file is as it was, and nothing is left beside it.
  package func prepareInPieces(mode: UInt16? = nil) throws(DurableFileError) -> PreparedWrite {
    try PreparedWrite(inPiecesTo: self, mode: mode)
  }

  /// Waits until the file as it is, whoever wrote it, and its name are on the disk; does nothing if there is none.
  package func synchronize() throws(DurableFileError) {
    let number = uninterrupted {
      openat(place.directory.number, place.location.name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }
    guard let file = Descriptor(number) else {
      if errno == ENOENT { return }
      throw DurableFileError(errno, "open", place.location.url)
    }
    try PreparedWrite.synchronize(file.number, of: place.location.url)
    try synchronizeDirectory()
  }

  /// Waits until the directory, and with it a new name, is on the disk.
  package func synchronizeDirectory() throws(DurableFileError) {
    guard synchronizeNames(place.directory.number) else {
      throw DurableFileError(errno, "synchronize the directory of", place.location.url)
    }
  }
}
