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
  private(set) var writer: ArchiveWriter
  private(set) var done = ArchiveProgress()
  let progress: (ArchiveProgress) -> Bool

  init(writer: ArchiveWriter, progress: @escaping (ArchiveProgress) -> Bool) {
    self.writer = writer
    self.progress = progress
  }

  mutating func pack(_ tree: ContainerArchive.Tree) throws(AppContainerError) {
    let folder: Folder
    do {
      folder = try Folder(tree.url)
    } catch .file(.notFound) {
      return
    }
    guard let status = folder.status(of: .top) else { throw folder.failure("look at", .top) }
    let path = EntryPath(tree.name)
    try append(ArchiveEntry(.directory, path, status))
    try packContents(of: folder, at: .top, as: path, tree.leavesOut)
  }

  private mutating func packContents(
    of folder: Folder, at path: EntryPath, as destination: EntryPath, _ leavesOut: (EntryPath) -> Bool
  ) throws(AppContainerError) {
    // In order, so that the same tree gives the same archive.
    let names = try folder.names().sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    for name in names where !leavesOut(path.appending(name)) {
      guard let status = folder.status(of: name) else {
        // Gone since the directory was listed, as temporary files may.
        if errno == ENOENT { continue }
        throw folder.failure("look at", name)
      }
      let place = destination.appending(name)
      switch status.kind {
      case .directory:
        let inner = try Folder(name, in: folder)
        try append(ArchiveEntry(.directory, place, status))
        try packContents(of: inner, at: path.appending(name), as: place, leavesOut)
      case .regular: try packFile(name, in: folder, as: place)
      case .link: try packLink(name, in: folder, as: place, status)
      case .special(let kind): throw .unsupportedFile(folder.place(of: name), kind: kind)
      }
    }
  }

  private mutating func packFile(
    _ name: EntryPath, in folder: Folder, as place: EntryPath
  ) throws(AppContainerError) {
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { openat(folder.number, name.cString, flags) }) else {
      throw folder.failure("read", name)
    }
    guard let status = EntryStatus(of: file) else { throw folder.failure("look at", name) }
    guard status.kind == .regular else { throw changed(name, folder) }
    var entry = ArchiveEntry(.file, place, status)
    entry.size = UInt64(status.size)
    try append(entry)
    var rest = status.size
    var buffer = [UInt8](repeating: 0, count: min(rest, ArchiveFormat.piece))
    while rest > 0 {
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
    // Half of one content and half of another would be a file that never was.
    guard let after = EntryStatus(of: file), after.size == status.size, after.modified == status.modified else {
      throw changed(name, folder)
    }
  }

  private mutating func packLink(
    _ name: EntryPath, in folder: Folder, as place: EntryPath, _ status: EntryStatus
  ) throws(AppContainerError) {
    var entry = ArchiveEntry(.link, place, status)
    var result = 0
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
    .heldOpen(reason: "\(folder.place(of: name).path) was changed while it was read")
  }
}

extension EntryStatus {
  init?(of file: borrowing Descriptor) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { return nil }
    self.init(status)
  }
}

func == (first: timespec, second: timespec) -> Bool {
  first.tv_sec == second.tv_sec && first.tv_nsec == second.tv_nsec
}
