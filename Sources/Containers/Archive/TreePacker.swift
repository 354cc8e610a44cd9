import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes trees into an archive.
struct TreePacker {
  var writer: ArchiveWriter
  private(set) var done = ArchiveProgress()
  let progress: (ArchiveProgress) -> Bool

  init(writer: ArchiveWriter, progress: @escaping (ArchiveProgress) -> Bool) {
    self.writer = writer
    self.progress = progress
  }

  mutating func pack(_ tree: EnvironmentArchive.Tree) throws(AppContainerError) {
    let top = EntryPath(tree.name)
    try packDirectory(.top, in: tree.folder, as: top)
    var made: Set<EntryPath> = []
    // Entries are sorted, so that the entries of a directory are adjacent, and the same tree gives the same archive.
    for entry in tree.entries.sorted(by: Self.comesFirst) {
      for parent in entry.ancestors where made.insert(parent).inserted {
        try packDirectory(parent, in: tree.folder, as: top.appending(parent))
      }
      try pack(entry, in: tree.folder, as: top.appending(entry))
    }
  }

  private static func comesFirst(_ first: EntryPath, _ second: EntryPath) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }

  private mutating func packDirectory(
    _ path: EntryPath, in folder: Folder, as place: EntryPath
  ) throws(AppContainerError) {
    guard let status = try folder.status(of: path) else { throw folder.failure("inspect", path) }
    try append(ArchiveEntry(.directory, place, status))
  }

  private mutating func pack(_ path: EntryPath, in folder: Folder, as place: EntryPath) throws(AppContainerError) {
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
      for name in try inner.names().sorted(by: Self.comesFirst) {
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
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { openat(folder.number, name.cString, flags) }) else {
      throw folder.failure("read", name)
    }
    guard let status = EntryStatus(of: file) else { throw folder.failure("inspect", name) }
    guard status.kind == .regular else { throw changed(name, folder) }
    var entry = ArchiveEntry(.file, place, status)
    entry.size = UInt64(status.size)
    try append(entry)
    var rest = status.size
    var buffer = [UInt8](repeating: 0, count: min(rest, ArchiveFormat.piece))
    while rest > 0 {
      // Sound: no more bytes are read than fit into the buffer.
      let count = buffer.withUnsafeMutableBytes { bytes in
        readAll(UnsafeMutableRawBufferPointer(rebasing: bytes[..<min(rest, bytes.count)]), from: file.number)
      }
      guard count >= 0 else { throw folder.failure("read", name) }
      guard count > 0 else { throw changed(name, folder) }
      try writer.append(.bytes, buffer[..<count])
      rest -= count
      done.bytes += count
      try report()
    }
    // If the file changed while it was read, the bytes may mix two contents.
    guard let after = EntryStatus(of: file), after.size == status.size, after.modified == status.modified else {
      throw changed(name, folder)
    }
  }

  private mutating func packLink(
    _ name: EntryPath, in folder: Folder, as place: EntryPath, _ status: EntryStatus
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

  private func report() throws(AppContainerError) {
    guard progress(done), !Task.isCancelled else { throw .cancelled(operation: "The export") }
  }

  private func changed(_ name: EntryPath, _ folder: Folder) -> AppContainerError {
    .heldOpen(reason: "\(folder.place(of: name).path) was changed while it was being read")
  }
}
