import CLibrary
package import Foundation

/// The open journal of a file: the file of the same name in the folder `journals`, which is in the folder of its lock.
///
/// Only the holder of the lock appends to it, creates it, replaces it or removes it. Others read it without a lock.
package final class JournalFile: Sendable {
  private let file: Descriptor

  /// The identity of the file, by which another one in its place is recognized.
  package let identity: FileIdentity

  /// A Boolean value that indicates whether the holder of the lock can append to it through this object.
  package let isWritable: Bool

  private init(_ file: consuming Descriptor, _ identity: FileIdentity, isWritable: Bool) {
    self.file = file
    self.identity = identity
    self.isWritable = isWritable
  }

  /// The folder of the journals, in the folder of the locks.
  ///
  /// It contains nothing else, so that no lock and no temporary file wakes an observer.
  static let folder = "journals"

  /// Opens the folder of the journals.
  ///
  /// - Parameters:
  ///   - shared: The folder of the locks.
  ///   - isCreating: A Boolean value that determines whether to create a missing folder, if that is possible.
  /// - Returns: The folder, or `nil` with `errno` set.
  static func openFolder(in shared: CInt, isCreating: Bool = false) -> Descriptor? {
    if let found = Descriptor(directory: folder, in: shared) { return found }
    guard isCreating, errno == ENOENT else { return nil }
    guard mkdirat(shared, folder, 0o700) == 0 || errno == EEXIST else {
      errno = ENOENT
      return nil
    }
    guard let made = Descriptor(directory: folder, in: shared) else { return nil }
    inheritOwner(made.number, from: FileStatus(descriptor: shared))
    return made
  }

  /// The descriptor of the file.
  package var number: CInt { file.number }

  /// The current status of the file, or `nil` with `errno` set.
  package var status: FileStatus? { file.status }

  /// Opens a journal in their folder.
  ///
  /// - Returns: The journal, or `nil` if there is none.
  /// - Throws: ``DurableFileError``.
  static func open(
    _ name: String, in folder: CInt, isWritable: Bool, of url: URL
  ) throws(DurableFileError) -> JournalFile? {
    let flags = (isWritable ? O_RDWR | O_APPEND : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { openat(folder, name, flags) }) else {
      if let error = DurableFileError(unlessAbsent: errno, "read the journal of", url) { throw error }
      return nil
    }
    guard let status = file.status else { throw DurableFileError(errno, "inspect the journal of", url) }
    guard status.kind == .regular else { throw .notARegularFile(url, kind: status.kind.rawValue) }
    return JournalFile(file, status.identity, isWritable: isWritable)
  }

  /// Returns up to a number of bytes from an offset.
  ///
  /// - Returns: The bytes, fewer at the end of the file, or `nil` with `errno` set.
  package func read(_ count: Int, at offset: Int) -> Data? {
    var bytes = Data(count: count)
    var filled = 0
    while filled < count {
      let more = bytes.withUnsafeMutableBytes { buffer in
        // Sound: `filled` is less than the number of bytes.
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        return readSome(rest, from: file.number, at: offset + filled)
      }
      if more < 0 { return nil }
      if more == 0 { break }
      filled += more
    }
    if filled < count { bytes.removeLast(count - filled) }
    return bytes
  }

  /// Appends bytes, or removes again what could be written of them; the caller holds the lock.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - size: The size of the file, which grows by the bytes to less than the limit for this process.
  ///   - url: The file that errors report.
  /// - Throws: ``DurableFileError``.
  package func append(_ bytes: UnsafeRawBufferPointer, after size: Int, of url: URL) throws(DurableFileError) {
    guard writeAll(bytes, to: file.number, after: nil) == bytes.count else {
      let error = DurableFileError(errno, "write the journal of", url)
      cut(to: size)
      throw error
    }
  }

  /// Removes everything after an offset; the caller holds the lock.
  ///
  /// If that fails, the next writer does it. Never remove a whole record, which others may have read already.
  package func cut(to size: Int) {
    _ = uninterrupted { ftruncate(file.number, off_t(size)) }
  }

  /// Waits until the content is on the disk.
  package func synchronize(of url: URL) throws(DurableFileError) {
    guard synchronizeContents(file.number, attributes: false) else {
      throw DurableFileError(errno, "synchronize the journal of", url)
    }
  }
}

extension FileLocation {
  /// Opens the journal of the file for reading.
  ///
  /// - Parameter isCreating: A Boolean value that determines whether to create a missing folder of journals, if that is
  ///   possible. Otherwise an observer of the folder above is woken by all that happens there.
  /// - Returns: The journal, or `nil` if there is none, and the path at which it is or would be.
  /// - Throws: ``DurableFileError``.
  package func openJournal(isCreating: Bool) throws(DurableFileError) -> (file: JournalFile?, path: String) {
    let resolved = try Self.resolve(url, within: confinement)
    let path = "\(resolved.directory)/\(Self.sharedFolder)/\(JournalFile.folder)/\(resolved.name)"
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let number: CInt
    if let confinement {
      if let opened = try confinement.open(resolved.directory, for: resolved.name, of: url) {
        number = uninterrupted { openat(opened.directory.number, Self.sharedFolder, flags) }
      } else {
        number = -1
      }
    } else {
      number = uninterrupted { open("\(resolved.directory)/\(Self.sharedFolder)", flags) }
    }
    guard let shared = Descriptor(number),
      let folder = JournalFile.openFolder(in: shared.number, isCreating: isCreating)
    else {
      if let error = DurableFileError(unlessAbsent: errno, "read the journal of", url) { throw error }
      return (nil, path)
    }
    return (try JournalFile.open(resolved.name, in: folder.number, isWritable: false, of: url), path)
  }
}

extension ExclusiveFile {
  /// Opens the journal of the file, if there is one.
  ///
  /// It can be appended to unless its permissions forbid that.
  package func openJournal() throws(DurableFileError) -> JournalFile? {
    let (name, url) = (descriptors.name, descriptors.url)
    guard let folder = JournalFile.openFolder(in: descriptors.folder.number) else {
      if let error = DurableFileError(unlessAbsent: errno, "read the journal of", url) { throw error }
      return nil
    }
    do throws(DurableFileError) {
      return try JournalFile.open(name, in: folder.number, isWritable: true, of: url)
    } catch {
      return try JournalFile.open(name, in: folder.number, isWritable: false, of: url)
    }
  }

  /// Creates the journal of the file, or replaces it.
  ///
  /// - Parameters:
  ///   - bytes: Its first bytes.
  ///   - durability: The failures that it survives when this returns.
  /// - Returns: The journal.
  /// - Throws: ``DurableFileError``. The previous journal is then unchanged.
  package func makeJournal(_ bytes: Data, durability: Durability) throws(DurableFileError) -> JournalFile {
    guard let folder = JournalFile.openFolder(in: descriptors.folder.number, isCreating: true) else {
      throw DurableFileError(errno, "create the journal of", descriptors.url)
    }
    try prepare(bytes, durability: durability, by: .omitted).commitAsJournal(in: folder.number)
    if durability == .storage { try synchronizeJournalName(in: folder) }
    let journal = try JournalFile.open(descriptors.name, in: folder.number, isWritable: true, of: descriptors.url)
    guard let journal else {
      throw .system(operation: "create the journal of", path: descriptors.url.path, errno: ENOENT)
    }
    return journal
  }

  /// Waits until the name of the journal is on the disk, and the name of its folder.
  package func synchronizeJournalName() throws(DurableFileError) {
    guard let folder = JournalFile.openFolder(in: descriptors.folder.number) else {
      throw DurableFileError(errno, "synchronize the journal of", descriptors.url)
    }
    try synchronizeJournalName(in: folder)
  }

  private func synchronizeJournalName(in folder: borrowing Descriptor) throws(DurableFileError) {
    guard synchronizeNames(folder.number), synchronizeNames(descriptors.folder.number) else {
      throw DurableFileError(errno, "synchronize the journal of", descriptors.url)
    }
  }

  /// Removes the journal of the file, if there is one.
  package func removeJournal() {
    guard let folder = JournalFile.openFolder(in: descriptors.folder.number) else { return }
    unlinkat(folder.number, descriptors.name, 0)
  }
}
