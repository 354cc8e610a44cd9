import AppGroups
import CLibrary
import FileSignals
import Foundation

/// A regular file that is open for reading or, if it is an SQLite database, the files that belong to it.
///
/// A database, its write-ahead log and its journal are read as they were at one moment, even while other programs
/// write.
/// The index of a log is left out, because SQLite builds it again.
final class FileSnapshot {
  /// One of the files.
  final class Part {
    let name: EntryPath
    let status: FileStatus
    private let number: CInt
    private let descriptor: Descriptor?

    /// Creates a part that owns its descriptor, or one that uses the descriptor of a hold.
    fileprivate init(
      _ name: EntryPath, _ descriptor: consuming Descriptor?, _ held: CInt? = nil, in folder: Folder
    ) throws(AppContainerError) {
      self.name = name
      number = held ?? descriptor?.number ?? -1
      self.descriptor = descriptor
      guard let status = FileStatus(descriptor: number) else { throw folder.failure("inspect", name) }
      self.status = status
      guard status.kind == .regular else { throw FileSnapshot.busy(folder, name) }
      // A call that writes sets the time when it begins. A search for a hole waits for a call that began before the
      // status was read; one that begins later changes the time.
      _ = lseek(number, 0, FileSnapshot.searchForHole)
    }

    /// The first bytes now, or `nil` if they cannot be read.
    fileprivate var beginning: [UInt8]? { FileSnapshot.beginning(of: number) }

    /// A Boolean value that indicates whether the file has the size and time that it had when it was opened.
    fileprivate var isUnchanged: Bool {
      FileStatus(descriptor: number)?.stamp.hasContent(of: status.stamp) ?? false
    }

    /// Reads the bytes that the file had when it was opened, in pieces, and returns their checksum.
    ///
    /// - Returns: The checksum, or `nil` if the file has become shorter.
    @discardableResult
    func read(
      in folder: Folder, _ body: (ArraySlice<UInt8>) throws(AppContainerError) -> Void
    ) throws(AppContainerError) -> UInt32? {
      guard lseek(number, 0, SEEK_SET) == 0 else { throw folder.failure("read", name) }
      var rest = status.size
      var checksum: UInt32 = 0
      var buffer = [UInt8](repeating: 0, count: min(rest, FileSnapshot.piece))
      while rest > 0 {
        // Sound: no more bytes are read than fit into the buffer.
        let count = buffer.withUnsafeMutableBytes { bytes in
          readAll(UnsafeMutableRawBufferPointer(rebasing: bytes[..<min(rest, bytes.count)]), from: number)
        }
        guard count >= 0 else { throw folder.failure("read", name) }
        guard count > 0 else { return nil }
        checksum = buffer.withUnsafeBytes {
          Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<count]), goingOnFrom: checksum)
        }
        try body(buffer[..<count])
        rest -= count
      }
      return checksum
    }
  }

  /// The number of bytes that are read at once.
  static let piece = ArchiveFormat.piece

  /// The file itself, and then the log or the journal of a database.
  let parts: [Part]

  /// The names of files that belong to the database, which must not be copied separately.
  let belonging: [EntryPath]

  private let folder: Folder
  private let descriptors: SeparateDescriptors
  private let hold: DatabaseHold?
  /// The first bytes of the log or the journal of a database that is held.
  private let beginnings: [[UInt8]?]
  /// The status of all files before they were opened, if locks cannot keep them as they are.
  private let before: [FileStatus?]?

  private init(
    _ parts: [Part], belonging: [EntryPath] = [], _ folder: Folder, _ descriptors: SeparateDescriptors,
    hold: DatabaseHold? = nil, before: [FileStatus?]? = nil
  ) {
    (self.parts, self.belonging, self.folder, self.descriptors) = (parts, belonging, folder, descriptors)
    (self.hold, self.before) = (hold, before)
    beginnings = hold == nil ? [] : parts.dropFirst().map(\.beginning)
  }

  // MARK: Opening

  /// Opens a file, and waits while another program keeps readers away from the database.
  static func open(
    _ name: EntryPath, in folder: Folder, with descriptors: SeparateDescriptors, within patience: Duration
  ) throws(AppContainerError) -> FileSnapshot {
    let snapshot = try FileLock.waiting.repeating(within: patience) { () throws(AppContainerError) in
      try attempt(name, in: folder, with: descriptors)
    }
    guard let snapshot else {
      throw .heldOpen(
        reason: "other programs kept the database \(folder.place(of: name).path) locked or changed it for \(patience)")
    }
    return snapshot
  }

  /// Opens a file, or returns `nil` if it must be opened again.
  private static func attempt(
    _ name: EntryPath, in folder: Folder, with descriptors: SeparateDescriptors
  ) throws(AppContainerError) -> FileSnapshot? {
    let names = [name] + suffixes.map { name + $0 }
    let before = descriptors.canLock ? nil : try statuses(names, in: folder)
    let file = try descriptors.open(name, in: folder)
    let log = try hasMark(logMarks, names[1], in: folder, descriptors)
    let journal = try hasMark(journalMark, names[2], in: folder, descriptors)
    let isDatabase = try hasMark(databaseMark, name, file.number, folder)
    guard log || journal || isDatabase else {
      return FileSnapshot([try Part(name, file, in: folder)], folder, descriptors)
    }
    let belonging = Array(names.dropFirst())
    guard descriptors.canLock else {
      return try unlocked(file, names, in: folder, with: descriptors, before ?? [])
    }
    switch DatabaseHold.acquire(file, name, in: folder, isLogged: log) {
    case .busy: return nil
    case .impossible:
      let before = try statuses(names, in: folder)
      return try unlocked(descriptors.open(name, in: folder), names, in: folder, with: descriptors, before)
    case .held(let hold):
      // Another program may have replaced the file before it was locked.
      let main = try Part(name, nil, hold.database.number, in: folder)
      guard try folder.status(of: name)?.identity.inode == main.status.identity.inode else { return nil }
      var parts = [main]
      for name in belonging.prefix(hold.isJournalOfWriter ? 1 : 2) {
        if let part = try Self.part(name, in: folder, descriptors) { parts.append(part) }
      }
      return FileSnapshot(parts, belonging: belonging, folder, descriptors, hold: hold)
    }
  }

  /// Opens the files of a database without locks, or returns `nil` if they have changed in the meantime.
  private static func unlocked(
    _ file: consuming Descriptor, _ names: [EntryPath], in folder: Folder, with descriptors: SeparateDescriptors,
    _ before: [FileStatus?]
  ) throws(AppContainerError) -> FileSnapshot? {
    var parts = [try Part(names[0], file, in: folder)]
    for name in names[1...2] {
      if let part = try part(name, in: folder, descriptors) { parts.append(part) }
    }
    let snapshot = FileSnapshot(
      parts, belonging: Array(names.dropFirst()), folder, descriptors, before: before)
    return try snapshot.isUntouched ? snapshot : nil
  }

  private static func part(
    _ name: EntryPath, in folder: Folder, _ descriptors: SeparateDescriptors
  ) throws(AppContainerError) -> Part? {
    guard let status = try status(name, in: folder), status.kind == .regular else { return nil }
    do {
      return try Part(name, descriptors.open(name, in: folder), in: folder)
    } catch {
      guard case .file(.notFound) = error else { throw error }
      // A writer has just removed it.
      return nil
    }
  }

  /// `SEEK_HOLE`, which Glibc declares for GNU programs only.
  #if canImport(Darwin)
    private static let searchForHole = SEEK_HOLE
  #else
    private static let searchForHole: CInt = 4
  #endif

  // MARK: Verifying

  /// Returns a Boolean value that indicates whether the bytes that were read existed together.
  ///
  /// - Parameter checksums: The checksums of all parts; `nil` for each that became shorter.
  /// - Returns: `false` if they must be read again.
  /// - Throws: The error of reading again.
  func isIntact(_ checksums: [UInt32?]) throws(AppContainerError) -> Bool {
    guard !checksums.contains(nil) else { return false }
    if descriptors.opensCopies { return true }
    if let hold {
      guard parts[0].isUnchanged, isSameLog else { return false }
      return try hold.isLogUntouched(parts[0].name, in: folder)
    }
    if before != nil { return try isUntouched }
    // A file that only grows, such as a log, is intact up to its old end.
    if parts[0].isUnchanged { return true }
    return try parts[0].read(in: folder) { (_) throws(AppContainerError) in } == checksums[0]
  }

  /// A Boolean value that indicates whether the log of a held database was not started again at its beginning.
  ///
  /// The locks keep a log from being started again, but if that was done before, the next writer replaces its first
  /// bytes, and then the old records. Until then, the old log is complete, and is contained in the database.
  private var isSameLog: Bool {
    !beginnings.contains(nil) && parts.dropFirst().map(\.beginning) == beginnings
  }

  private var isUntouched: Bool {
    get throws(AppContainerError) {
      guard let before else { return true }
      let names = [parts[0].name] + belonging
      return zip(before, try Self.statuses(names, in: folder)).allSatisfy { before, after in
        guard let before, let after else { return before == nil && after == nil }
        return after.stamp.hasContent(of: before.stamp)
      }
    }
  }

  /// Returns the status of a file beside a database; a name that is too long for the system belongs to no file.
  private static func status(_ name: EntryPath, in folder: Folder) throws(AppContainerError) -> FileStatus? {
    name.bytes.count > Int(NAME_MAX) ? nil : try folder.status(of: name)
  }

  private static func statuses(_ names: [EntryPath], in folder: Folder) throws(AppContainerError) -> [FileStatus?] {
    try names.map { name throws(AppContainerError) in try status(name, in: folder) }
  }

  /// The error for a file that changed while it was being read.
  static func busy(_ folder: Folder, _ name: EntryPath) -> AppContainerError {
    .heldOpen(reason: "\(folder.place(of: name).path) was changed while it was being read")
  }

  // MARK: Recognizing databases

  /// The ends of the names of a database's log, journal and index.
  private static let suffixes = ["-wal", "-journal", "-shm"]

  private static let databaseMark: [[UInt8]] = [Array("SQLite format 3\0".utf8)]
  private static let logMarks: [[UInt8]] = [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
  private static let journalMark: [[UInt8]] = [[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]]

  private static func hasMark(
    _ marks: [[UInt8]], _ name: EntryPath, _ number: CInt, _ folder: Folder
  ) throws(AppContainerError) -> Bool {
    guard let bytes = beginning(of: number) else { throw folder.failure("read", name) }
    return marks.contains { bytes.starts(with: $0) }
  }

  /// Returns the first bytes of a file, among them the header of a log, or `nil` with `errno` set.
  private static func beginning(of number: CInt) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = uninterrupted { pread(number, &bytes, 32, 0) }
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  /// Returns a Boolean value that indicates whether a file next to a database has a mark; an encrypted database has none.
  private static func hasMark(
    _ marks: [[UInt8]], _ name: EntryPath, in folder: Folder, _ descriptors: SeparateDescriptors
  ) throws(AppContainerError) -> Bool {
    guard let status = try status(name, in: folder), status.kind == .regular else { return false }
    do {
      let file = try descriptors.open(name, in: folder)
      return try hasMark(marks, name, file.number, folder)
    } catch {
      guard case .file(.notFound) = error else { throw error }
      return false
    }
  }
}

@available(*, unavailable)
extension FileSnapshot: Sendable {}

@available(*, unavailable)
extension FileSnapshot.Part: Sendable {}

extension EntryPath {
  /// Returns the path with a longer last name.
  static func + (path: EntryPath, suffix: String) -> EntryPath { EntryPath(bytes: path.bytes + Array(suffix.utf8)) }
}
