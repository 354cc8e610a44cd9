import AppGroups
import CLibrary
import FileSignals
import Foundation

/// Writes trees into an archive.
struct TreePacker {
  var writer: ArchiveWriter
  private(set) var done = ArchiveProgress()
  let descriptors: SeparateDescriptors

  /// Receives the amount written so far on the thread of the caller, and returns whether to continue.
  let progress: (ArchiveProgress) -> Bool

  /// The logs and journals of databases, which were packed with them.
  private(set) var covered: Set<URL> = []

  mutating func pack(_ tree: EnvironmentArchive.Tree) throws(AppContainerError) {
    let top = EntryPath(tree.name)
    try packDirectory(.top, in: tree.folder, as: top)
    var made: Set<EntryPath> = []
    // Entries are sorted, so that the entries of a directory are adjacent, and the same tree gives the same archive.
    for entry in tree.entries.sorted() {
      for parent in entry.ancestors where made.insert(parent).inserted {
        try packDirectory(parent, in: tree.folder, as: top.appending(parent))
      }
      try pack(entry, in: tree.folder, as: top.appending(entry))
    }
  }

  private mutating func packDirectory(
    _ path: EntryPath, in folder: Folder, as place: EntryPath
  ) throws(AppContainerError) {
    guard let status = try folder.status(of: path) else { throw folder.failure("inspect", path) }
    try append(ArchiveEntry(.directory, place, status))
  }

  private mutating func pack(_ path: EntryPath, in folder: Folder, as place: EntryPath) throws(AppContainerError) {
    guard covered.isEmpty || !covered.contains(folder.place(of: path)) else { return }
    // No reader would accept this path.
    if let problem = TreeUnpacker.problem(with: place) { throw .blocked(folder.place(of: path), reason: problem) }
    guard let status = try folder.status(of: path) else {
      // The entry was removed after the directory was listed, as temporary files may be.
      if errno == ENOENT { return }
      throw folder.failure("inspect", path)
    }
    switch status.kind {
    case .directory:
      try append(ArchiveEntry(.directory, place, status))
      let inner = try Folder(path, in: folder)
      for name in try inner.names().sorted() {
        try pack(name, in: inner, as: place.appending(name))
      }
    case .regular: try packFile(path, in: folder, as: place)
    case .link: try packLink(path, in: folder, as: place, status)
    case .pipe, .socket, .device: throw .unsupportedFile(folder.place(of: path), kind: status.kind.rawValue)
    }
  }

  private mutating func packFile(
    _ name: EntryPath, in folder: Folder, as place: EntryPath
  ) throws(AppContainerError) {
    let patience = DirectoryRules.patience(for: folder.url)
    let packed = try FileLock.waiting.repeating(within: patience) { () throws(AppContainerError) -> [EntryPath]? in
      let snapshot: FileSnapshot
      do throws(AppContainerError) {
        snapshot = try FileSnapshot.open(name, in: folder, with: descriptors, within: patience)
      } catch {
        // It was removed after its directory was listed.
        guard try folder.status(of: name) == nil else { throw error }
        return []
      }
      let isPacked = try pack(snapshot, name, in: folder, as: place)
      return isPacked ? snapshot.belonging : nil
    }
    guard let packed else { throw FileSnapshot.busy(folder, name) }
    for name in packed { covered.insert(folder.place(of: name)) }
  }

  /// Packs a file or database, and returns `false` without having written anything if it changed meanwhile.
  private mutating func pack(
    _ snapshot: FileSnapshot, _ name: EntryPath, in folder: Folder, as place: EntryPath
  ) throws(AppContainerError) -> Bool {
    if snapshot.parts.count == 1, snapshot.parts[0].status.size <= FileSnapshot.piece {
      var content: [UInt8] = []
      let checksum = try snapshot.parts[0].read(in: folder) { (bytes) throws(AppContainerError) in content += bytes }
      guard try snapshot.isIntact([checksum]) else { return false }
      try append(snapshot.parts[0], as: place)
      if !content.isEmpty { try append(content[...]) }
      return true
    }
    var checksums: [UInt32?] = []
    for part in snapshot.parts {
      let place = EntryPath(bytes: place.bytes + part.name.bytes.dropFirst(name.bytes.count))
      if let problem = TreeUnpacker.problem(with: place) {
        throw .blocked(folder.place(of: part.name), reason: problem)
      }
      try append(part, as: place)
      checksums.append(try part.read(in: folder) { (bytes) throws(AppContainerError) in try append(bytes) })
    }
    // What has been written cannot be taken back.
    guard try snapshot.isIntact(checksums) else { throw FileSnapshot.busy(folder, name) }
    return true
  }

  private mutating func append(_ part: FileSnapshot.Part, as place: EntryPath) throws(AppContainerError) {
    var entry = ArchiveEntry(.file, place, part.status)
    entry.size = UInt64(part.status.size)
    try append(entry)
  }

  private mutating func packLink(
    _ name: EntryPath, in folder: Folder, as place: EntryPath, _ status: FileStatus
  ) throws(AppContainerError) {
    var entry = ArchiveEntry(.link, place, status)
    var result = 0
    // Sound: exactly the bytes that the system has written count as initialized.
    entry.target = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, initialized in
      result = buffer.withMemoryRebound(to: CChar.self) { bytes in
        bytes.baseAddress.map { readlinkat(folder.number, name.cString, $0, bytes.count) } ?? -1
      }
      initialized = max(result, 0)
    }
    guard result > 0 else { throw folder.failure("read the link", name) }
    try append(entry)
  }

  private mutating func append(_ entry: ArchiveEntry) throws(AppContainerError) {
    try writer.append(entry.kind, entry.payload)
    done.entries += 1
    try report()
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(AppContainerError) {
    try writer.append(.bytes, bytes)
    done.bytes += bytes.count
    try report()
  }

  private func report() throws(AppContainerError) {
    let mayContinue = descriptors.onCaller { [progress, done] in progress(done) && !Task.isCancelled }
    guard mayContinue else { throw .cancelled(operation: "The export") }
  }
}
