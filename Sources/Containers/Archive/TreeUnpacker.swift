import CLibrary
import FileSignals
import Foundation

/// Creates the trees of an archive, in a directory that no other code uses yet.
///
/// It creates entries only in directories that it has created itself and keeps open. It reaches each of them from its
/// parent without following links. So no archive can make it touch anything outside.
struct TreeUnpacker {
  private struct Level {
    let path: EntryPath
    let folder: Folder
    let entry: ArchiveEntry?
  }

  private var reader: ArchiveReader
  private var levels: [Level]
  private var done = ArchiveProgress()
  private let names: Set<String>
  private var links: ArchiveLinks
  private let allowsOutwardLinks: Bool
  private let progress: (ArchiveProgress) -> Bool

  init(
    reader: ArchiveReader, folder: Folder, names: Set<String>, hidden: EntryPath, allowsOutwardLinks: Bool,
    progress: @escaping (ArchiveProgress) -> Bool
  ) {
    self.reader = reader
    levels = [Level(path: .top, folder: folder, entry: nil)]
    self.names = names
    links = ArchiveLinks(hidden: hidden)
    self.allowsOutwardLinks = allowsOutwardLinks
    self.progress = progress
  }

  mutating func unpack() throws(AppContainerError) {
    while true {
      let (kind, payload) = try reader.next()
      switch kind {
      case .manifest: throw reader.damaged("it has two descriptions of the environment")
      case .bytes: throw reader.damaged("it contains bytes that belong to no file")
      case .directory, .file, .link:
        guard let entry = ArchiveEntry(kind, payload: payload) else { throw reader.damaged("an entry is malformed") }
        try unpack(entry)
      case .end:
        var rest = payload[...]
        guard rest.popNumber(UInt64.self) == UInt64(done.entries), rest.popNumber(UInt64.self) == UInt64(done.bytes),
          rest.isEmpty
        else { throw reader.damaged("its content does not match the recorded totals") }
        try reader.end()
        if !allowsOutwardLinks, let (path, reason) = links.firstProblem() { throw unsafe(path, reason) }
        return try leave(to: .top, for: .top)
      }
    }
  }

  private mutating func unpack(_ entry: ArchiveEntry) throws(AppContainerError) {
    if let problem = Self.problem(with: entry.path) { throw unsafe(entry, problem) }
    let parent = entry.path.parent
    if parent == .top {
      guard entry.kind == .directory, names.contains(entry.path.text) else {
        throw unsafe(entry, "it is not in a directory of an environment")
      }
    }
    try leave(to: parent, for: entry.path)
    guard let level = levels.last, level.path == parent else {
      throw unsafe(entry, "it does not follow its directory")
    }
    let (folder, name) = (level.folder, entry.path.name)
    switch entry.kind {
    case .directory:
      guard mkdirat(folder.number, name.cString, 0o700) == 0 else { throw failure(entry, name, folder) }
      levels.append(Level(path: entry.path, folder: try Folder(name, in: folder), entry: entry))
    case .link:
      if entry.target.contains(0) { throw unsafe(entry, "it is a link whose target contains a NUL character") }
      if !allowsOutwardLinks, let problem = links.problem(with: entry) { throw unsafe(entry, problem) }
      let target = entry.target.map(CChar.init(bitPattern:)) + [0]
      guard symlinkat(target, folder.number, name.cString) == 0 else { throw failure(entry, name, folder) }
      let times = [entry.time, entry.time]
      guard utimensat(folder.number, name.cString, times, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw folder.failure("set the times of", name)
      }
    default: try unpackFile(entry, name, in: folder)
    }
    if !allowsOutwardLinks { links.add(entry) }
    done.entries += 1
    try report()
  }

  private mutating func unpackFile(
    _ entry: ArchiveEntry, _ name: EntryPath, in folder: Folder
  ) throws(AppContainerError) {
    guard entry.size <= fileSizeLimit() else { throw .file(.fileTooLarge(folder.place(of: name))) }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { openat(folder.number, name.cString, flags, 0o600) }) else {
      throw failure(entry, name, folder)
    }
    var rest = Int(entry.size)
    while rest > 0 {
      let (kind, payload) = try reader.next()
      guard kind == .bytes, !payload.isEmpty, payload.count <= rest else {
        throw reader.damaged("the size of a file does not match the recorded size")
      }
      let isWritten = payload.withUnsafeBytes { writeAll($0, to: file.number, after: nil) == $0.count }
      guard isWritten else { throw folder.failure("write", name) }
      rest -= payload.count
      done.bytes += payload.count
      try report()
    }
    try finish(file.number, entry, folder, name)
    // Some file systems report a failed write only when the file is closed.
    guard file.close() == 0 else { throw folder.failure("write", name) }
  }

  /// Sets the permissions and the time of a file or directory to the archived ones.
  private func finish(
    _ number: CInt, _ entry: ArchiveEntry, _ folder: Folder, _ name: EntryPath
  ) throws(AppContainerError) {
    guard fchmod(number, mode_t(entry.permissions)) == 0 else { throw folder.failure("set the mode of", name) }
    let times = [entry.time, entry.time]
    guard futimens(number, times) == 0 else { throw folder.failure("set the times of", name) }
  }

  /// Leaves directories until one is the parent of the next entry, and finishes each directory that it leaves.
  private mutating func leave(to parent: EntryPath, for path: EntryPath) throws(AppContainerError) {
    while let level = levels.last, let entry = level.entry, level.path != parent {
      guard !level.path.isAncestor(of: path) else { return }
      // The directories of the trees belong to this package, and must stay accessible to it.
      if level.path.parent != .top { try finish(level.folder.number, entry, level.folder, .top) }
      levels.removeLast()
    }
  }

  private func report() throws(AppContainerError) {
    guard progress(done), !Task.isCancelled else { throw .cancelled(operation: "The import") }
  }

  /// Returns the error for an entry that could not be created.
  private func failure(_ entry: ArchiveEntry, _ name: EntryPath, _ folder: Folder) -> AppContainerError {
    if errno == EEXIST { return unsafe(entry, "it occurs twice") }
    return folder.failure("create", name)
  }

  private func unsafe(_ entry: ArchiveEntry, _ reason: String) -> AppContainerError { unsafe(entry.path, reason) }

  private func unsafe(_ path: EntryPath, _ reason: String) -> AppContainerError {
    .unsafeArchive(reader.url, entry: path.text, reason: reason)
  }
}

extension TreeUnpacker {
  /// Returns the reason to refuse a path, or `nil` if it is safe.
  static func problem(with path: EntryPath) -> String? {
    if path.bytes.count > ArchiveFormat.longestPath {
      return "its path is longer than \(ArchiveFormat.longestPath) bytes"
    }
    if path.bytes.count(where: { $0 == EntryPath.slash }) > ArchiveFormat.deepest {
      return "it is nested more than \(ArchiveFormat.deepest) directories deep"
    }
    return path.problem
  }
}
