import CLibrary
import Foundation
import Signals
import Synchronization

/// New content of a file, written to a temporary file that is ready to replace it.
///
/// The temporary file has one fixed name, which only the holder of the lock uses. A writer that is killed leaves at
/// most one, and the next writer removes it.
package final class PreparedWrite {
  private let file: ExclusiveFile
  private var descriptors: FileDescriptors { file.descriptors }
  private var isPending = true
  /// The temporary file while it is being written.
  private var temporary: Descriptor?
  private var count = 0
  private let mode: UInt16?
  /// The maker of the new version, and its mark, to be noted before it is in place.
  private let note: (maker: Provenance.Note, version: VersionMark)?
  /// The maximum size of a file.
  private let sizeLimit = fileSizeLimit()
  /// The status of the temporary file with its content, before anything else was changed.
  private var written: FileStatus?
  /// The stamp of the file to be replaced; `nil` if there is none.
  private var replaced: FileStamp?
  /// A Boolean value that indicates whether the file to be replaced was inspected just now.
  ///
  /// A program that does not lock can act between any two system calls, so a newer status would protect it no better.
  private var isInspected = false

  /// The stamp of the file in its place, if any later change by any program gives it another one; otherwise `nil`.
  package private(set) var stamp: FileStamp?

  /// Writes the whole content at once.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - file: The locked file.
  ///   - durability: The failures that the content survives.
  ///   - mode: The permissions.
  ///   - maker: Who makes the new version.
  /// - Throws: ``DurableFileError``; then no temporary file is left behind.
  init(
    _ data: Data, to file: ExclusiveFile, durability: Durability, mode: UInt16?, _ maker: Provenance.Note
  ) throws(DurableFileError) {
    self.file = file
    self.mode = mode
    note = if case .omitted = maker { nil } else { (maker, VersionMark(content: data)) }
    do {
      try open()
      try data.withUnsafeBytes { bytes in Result { () throws(DurableFileError) in try append(bytes) } }.get()
      try finish(durability: durability)
    } catch {
      discard()
      throw error
    }
  }

  /// Begins content that is written in pieces with ``append(_:)``, and ended with ``finish(durability:)``.
  init(inPiecesTo file: ExclusiveFile, mode: UInt16?) throws(DurableFileError) {
    self.file = file
    self.mode = mode
    note = nil
    do {
      try open()
    } catch {
      discard()
      throw error
    }
  }

  deinit {
    discard()
  }

  /// Puts the content in place with a single `rename` or `link`, which no reader can see half done.
  ///
  /// - Parameter isExclusive: A Boolean value that determines whether to throw ``DurableFileError/alreadyExists(_:)``
  ///   if the file exists.
  /// - Throws: ``DurableFileError``. The file is then unchanged, and no temporary file is left behind.
  package func commit(creatingOnly isExclusive: Bool = false) throws(DurableFileError) {
    guard isPending, temporary == nil else {
      stop(because: "commit() was called twice, or before the content was finished")
    }
    if let note {
      file.note(note.maker, note.version, as: written?.stamp, replacing: replaced, limit: sizeLimit)
    }
    if isExclusive, try link() { return }
    do {
      // A link that was created since then must stay, but the rename would replace it.
      if !isInspected { _ = try descriptors.fileStatus() }
    } catch {
      discard()
      throw error
    }
    let (folder, directory) = (descriptors.folder.number, descriptors.directory.number)
    guard renameat(folder, descriptors.temporaryName, directory, descriptors.name) == 0 else {
      let error = failure(errno, "replace")
      discard()
      throw error
    }
    isPending = false
  }

  /// Returns a Boolean value that indicates whether a file is the one that was put in place.
  func isFile(with found: FileStamp?) -> Bool {
    guard let found, let written = written?.stamp, found.identity == written.identity else { return false }
    // Otherwise another program has written into the file already.
    guard found.hasContent(of: written) else { return true }
    // The file was renamed since then.
    if found.isFine(since: written) { descriptors.hasFineClock.store(true, ordering: .relaxed) }
    if descriptors.hasFineClock.load(ordering: .relaxed) { stamp = found }
    return true
  }

  /// Puts the content in place as the journal of the file, instead of the previous one.
  func commitAsJournal(in journals: CInt) throws(DurableFileError) {
    guard isPending, temporary == nil else {
      stop(because: "commitAsJournal(in:) was called twice, or before the content was finished")
    }
    guard renameat(descriptors.folder.number, descriptors.temporaryName, journals, descriptors.name) == 0 else {
      let error = DurableFileError(errno, "create the journal of", descriptors.url)
      discard()
      throw error
    }
    isPending = false
  }

  /// Returns the error of putting the temporary file in place.
  ///
  /// A plain "not found" would be misleading.
  private func failure(_ errno: CInt, _ operation: String) -> DurableFileError {
    guard errno == ENOENT else { return DurableFileError(errno, operation, descriptors.url) }
    guard descriptors.directory.status?.isLinked == true else {
      return .directoryNotFound(URL(fileURLWithPath: descriptors.directoryPath, isDirectory: true))
    }
    return .system(operation: "rename", path: temporaryURL.path, errno: errno)
  }

  /// The location of the temporary file, for errors.
  private var temporaryURL: URL {
    let path = "\(descriptors.directoryPath)/\(FileLocation.sharedFolder)/\(descriptors.temporaryName)"
    return URL(fileURLWithPath: path, isDirectory: false)
  }

  /// Links the temporary file to the file's name, which fails atomically if the name exists.
  ///
  /// - Returns: `false` if the file system does not support hard links and the name does not exist.
  private func link() throws(DurableFileError) -> Bool {
    let (folder, directory) = (descriptors.folder.number, descriptors.directory.number)
    if linkat(folder, descriptors.temporaryName, directory, descriptors.name, 0) == 0 {
      // Removes the temporary name.
      discard()
      return true
    }
    let number = errno
    var error = failure(number, "create")
    switch number {
    case EPERM, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS:
      // The remaining check leaves a small window for programs that do not lock.
      do throws(DurableFileError) {
        guard try descriptors.fileStatus() != nil else { return false }
        error = .alreadyExists(descriptors.url)
      } catch .notARegularFile {
        error = .alreadyExists(descriptors.url)
      } catch let unknown {
        error = unknown
      }
    default: break
    }
    discard()
    throw error
  }

  /// Removes the temporary file, unless it has been put in place.
  package func discard() {
    guard isPending else { return }
    isPending = false
    // A process that is just being started may have inherited the file, which would then keep its space after the
    // removal. On a full disk the next write would fail, too.
    if let number = temporary?.number { _ = ftruncate(number, 0) }
    unlinkat(descriptors.folder.number, descriptors.temporaryName, 0)
  }

  private func open() throws(DurableFileError) {
    temporary = try openTemporary()
  }

  /// Gives the temporary file the owner and the permissions of the file that it replaces.
  private func inherit(_ number: CInt) throws(DurableFileError) {
    guard let new = FileStatus(descriptor: number) else {
      throw DurableFileError(errno, "inspect a temporary file for", descriptors.url)
    }
    written = new
    let old = try descriptors.fileStatus()
    replaced = old?.stamp
    if let old {
      // Owner and group are kept if the system allows it. Otherwise the file gets this process's owner, as with every
      // rename.
      let isOurs = (old.owner, old.group) == (new.owner, new.group)
      if !isOurs, fchown(number, old.owner, old.group) != 0 { _ = fchown(number, .max, old.group) }
    } else if geteuid() == 0, new.owner == 0, let owner = descriptors.directory.status, owner.owner != 0 {
      // As `inheritOwner` does for a file that is still empty. This one has content, but it is certainly new.
      _ = fchown(number, owner.owner, owner.group)
    }
    let permissions = mode ?? old?.permissions ?? 0o600
    guard permissions == new.permissions || fchmod(number, mode_t(permissions)) == 0 else {
      throw DurableFileError(errno, "set the mode of", descriptors.url)
    }
  }

  /// Writes the next piece of the content.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(DurableFileError) {
    guard let number = temporary?.number else { stop(because: "append(_:) was called after finish(durability:)") }
    guard bytes.count <= sizeLimit - count else { throw DurableFileError(EFBIG, "write", descriptors.url) }
    guard writeAll(bytes, to: number, after: nil) == bytes.count else {
      throw DurableFileError(errno, "write", descriptors.url)
    }
    count += bytes.count
  }

  /// Ends content that was written in pieces, which can then be put in place.
  package func finish(durability: Durability) throws(DurableFileError) {
    guard let temporary = temporary.take() else { stop(because: "finish(durability:) was called twice") }
    let url = descriptors.url
    try inherit(temporary.number)
    switch durability {
    case .process: isInspected = true
    // This takes long, so the file is inspected again before it is replaced.
    case .storage: try Self.synchronize(temporary.number, of: url)
    }
    // A file system may report only now that it could not store the data.
    guard temporary.close() == 0 else { throw DurableFileError(errno, "write", url) }
  }

  /// Creates the temporary file, replacing one that a killed writer may have left.
  private func openTemporary() throws(DurableFileError) -> Descriptor {
    let name = descriptors.temporaryName
    let folder = descriptors.folder.number
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    var number = uninterrupted { openat(folder, name, flags, 0o600) }
    if number < 0, errno == EEXIST {
      unlinkat(folder, name, 0)
      number = uninterrupted { openat(folder, name, flags, 0o600) }
    }
    if let temporary = Descriptor(number) { return temporary }
    let failure = errno
    if failure == EEXIST, let kind = FileStatus.ifReadable(path: name, relativeTo: folder, followsLinks: false)?.kind {
      throw .notARegularFile(temporaryURL, kind: kind.rawValue)
    }
    throw DurableFileError(failure, "create a temporary file for", descriptors.url)
  }

  /// Waits until the content of an open file is on the disk.
  static func synchronize(_ number: CInt, of url: URL) throws(DurableFileError) {
    guard synchronizeContents(number, attributes: true) else { throw DurableFileError(errno, "synchronize", url) }
  }
}
