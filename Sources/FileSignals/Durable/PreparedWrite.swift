import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// New content of a file, written beside it and closed, waiting to take its place.
///
/// The temporary file has one fixed name, which only the holder of the lock uses: a writer that is killed leaves at
/// most one, and the next writer removes it.
package final class PreparedWrite {
  private let file: ExclusiveFile
  private var isPending = true
  /// The temporary file, as long as it is written.
  private var temporary: Descriptor?
  private var count = 0

  /// Writes the whole content at once.
  init(_ data: Data, to file: ExclusiveFile, durability: Durability, mode: UInt16?) throws(DurableFileError) {
    self.file = file
    do {
      try checkSizeLimit(data.count)
      try open(mode: mode)
      try data.withUnsafeBytes { bytes in Result { () throws(DurableFileError) in try append(bytes) } }.get()
      try finish(durability: durability)
    } catch {
      discard()
      throw error
    }
  }

  /// Begins a content that is written in pieces, with ``append(_:)`` and, at the end, ``finish(durability:)``.
  init(inPiecesTo file: ExclusiveFile, mode: UInt16?) throws(DurableFileError) {
    self.file = file
    do {
      try open(mode: mode)
    } catch {
      discard()
      throw error
    }
  }

  deinit {
    discard()
  }

  /// Puts the content in place: a single `rename`, or `link`, which no reader can see half done.
  ///
  /// - Parameter isExclusive: Whether to throw ``DurableFileError/alreadyExists(_:)`` if there is a file already.
  /// - Throws: ``DurableFileError``; the file is as it was, and nothing is left beside it.
  package func commit(creatingOnly isExclusive: Bool = false) throws(DurableFileError) {
    guard isPending, temporary == nil else { stop(because: "A prepared write is committed once, when it is written") }
    if isExclusive, try link() { return }
    let location = file.place.location
    do {
      // A link that has come meanwhile must stay; the rename would replace it.
      _ = try file.place.fileStatus()
    } catch {
      discard()
      throw error
    }
    guard renameat(file.place.folder.number, location.temporaryName, file.place.directory.number, location.name) == 0
    else {
      let error = failure(errno, "replace")
      discard()
      throw error
    }
    isPending = false
  }

  /// Why the temporary file could not be put in place; that nothing is there would be no reason.
  private func failure(_ errno: CInt, _ operation: String) -> DurableFileError {
    let location = file.place.location
    guard errno == ENOENT else { return DurableFileError(errno, operation, location.url) }
    guard file.place.directory.status?.isLinked == true else {
      return .directoryNotFound(URL(fileURLWithPath: location.directory, isDirectory: true))
    }
    return .system(operation: "put in place", path: temporaryURL.path, errno: errno)
  }

  /// Where the temporary file is, for errors.
  private var temporaryURL: URL {
    let location = file.place.location
    let path = "\(location.directory)/\(FileLocation.sharedFolder)/\(location.temporaryName)"
    return URL(fileURLWithPath: path, isDirectory: false)
  }

  /// Gives the temporary file the file's name, which fails if anything has it, even if that came this very moment.
  ///
  /// - Returns: Whether that is done; not if the file system knows no second names, and nothing is in the place.
  private func link() throws(DurableFileError) -> Bool {
    let location = file.place.location
    let (folder, directory) = (file.place.folder.number, file.place.directory.number)
    if linkat(folder, location.temporaryName, directory, location.name, 0) == 0 {
      // Takes away the other name.
      discard()
      return true
    }
    let number = errno
    var error = failure(number, "create")
    switch number {
    case EPERM, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS:
      // What remains leaves a moment to those who do not lock.
      guard FileStatus(path: location.name, relativeTo: directory, followsLinks: false) != nil else { return false }
      error = .alreadyExists(location.url)
    default: break
    }
    discard()
    throw error
  }

  /// Removes the temporary file, unless it has been put in place.
  package func discard() {
    guard isPending else { return }
    isPending = false
    unlinkat(file.place.folder.number, file.place.location.temporaryName, 0)
  }

  private func open(mode: UInt16?) throws(DurableFileError) {
    let location = file.place.location
    let old = try file.place.fileStatus()
    let temporary = try openTemporary()
    let number = temporary.number
    guard let new = temporary.status else {
      throw DurableFileError(errno, "look at a temporary file for", location.url)
    }
    if let old {
      // Owner and group are kept where the system lets us; where it does not, the file becomes ours, as with every
      // rename.
      let isOurs = (old.owner, old.group) == (new.owner, new.group)
      if !isOurs, fchown(number, old.owner, old.group) != 0 { _ = fchown(number, .max, old.group) }
    } else {
      inheritOwner(number, from: file.place.directory.status)
    }
    let permissions = mode ?? old?.permissions ?? 0o600
    guard permissions == new.permissions || fchmod(number, mode_t(permissions)) == 0 else {
      throw DurableFileError(errno, "set the mode of", location.url)
    }
    self.temporary = consume temporary
  }

  /// Writes the next piece of a content.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(DurableFileError) {
    guard let number = temporary?.number else { stop(because: "A content was continued after its end") }
    try checkSizeLimit(count + bytes.count)
    guard writeAll(bytes, to: number) == bytes.count else {
      throw DurableFileError(errno, "write", file.place.location.url)
    }
    count += bytes.count
  }

  /// Ends a content that was written in pieces; it can take its place now.
  package func finish(durability: Durability) throws(DurableFileError) {
    guard let temporary = temporary.take() else { stop(because: "A content has one end") }
    let url = file.place.location.url
    if durability == .storage { try Self.synchronize(temporary.number, of: url) }
    // A file system may report only now that it could not store what was written.
    guard temporary.close() == 0 else { throw DurableFileError(errno, "write", url) }
  }

  /// Makes the temporary file, in the place of one that a killed writer may have left.
  private func openTemporary() throws(DurableFileError) -> Descriptor {
    let name = file.place.location.temporaryName
    let folder = file.place.folder.number
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    var number = uninterrupted { openat(folder, name, flags, 0o600) }
    if number < 0, errno == EEXIST {
      unlinkat(folder, name, 0)
      number = uninterrupted { openat(folder, name, flags, 0o600) }
    }
    if let temporary = Descriptor(number) { return temporary }
    if errno == EEXIST, let kind = FileStatus(path: name, relativeTo: folder, followsLinks: false)?.kind {
      throw .notARegularFile(temporaryURL, kind: kind.rawValue)
    }
    throw DurableFileError(errno, "create a temporary file for", file.place.location.url)
  }

  /// Waits until the content of an open file is on the disk.
  static func synchronize(_ number: CInt, of url: URL) throws(DurableFileError) {
    guard synchronizeContents(number, attributes: true) else { throw DurableFileError(errno, "synchronize", url) }
  }

  /// Throws if the process may not write so large a file.
  private func checkSizeLimit(_ count: Int) throws(DurableFileError) {
    guard count <= fileSizeLimit() else { throw .fileTooLarge(file.place.location.url) }
  }
}
