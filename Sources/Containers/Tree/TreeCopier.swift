import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Copies trees with contents, modes and times.
///
/// Links are copied as links.
struct TreeCopier {
  /// The number of copied entries, including directories.
  private(set) var count = 0

  /// Receives the number of copied entries, and returns whether to continue.
  let progress: (Int) -> Bool

  init(progress: @escaping (Int) -> Bool = { _ in true }) {
    self.progress = progress
  }

  /// Copies an entry and its contents.
  ///
  /// The destination must not exist, unless both are directories.
  mutating func copy(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) {
    guard let status = try old.status(of: path) else { throw old.failure("inspect", path) }
    switch status.kind {
    case .directory: try copyDirectory(path, in: old, to: destination, in: new, status)
    case .regular: try copyFile(path, in: old, to: destination, in: new, status)
    case .link: try copyLink(path, in: old, to: destination, in: new, status)
    case .pipe, .socket, .device: throw .unsupportedFile(old.place(of: path), kind: status.kind.rawValue)
    }
    count += 1
    guard progress(count), !Task.isCancelled else {
      throw .cancelled(operation: "The copy of \(old.url.path)")
    }
  }

  private mutating func copyDirectory(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder, _ status: EntryStatus
  ) throws(AppContainerError) {
    try new.makeDirectoryOfTree(destination)
    let source = try Folder(path, in: old)
    let copy = try Folder(destination, in: new)
    // A log's cursors are in a hidden folder. Copied before the events, they are never ahead of them.
    for name in try source.names().sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      do throws(AppContainerError) {
        try self.copy(name, in: source, to: name, in: copy)
      } catch {
        // Another process has removed the entry in the meantime, such as a temporary file or a segment of a log.
        if case .cancelled = error { throw error }
        guard try source.status(of: name) == nil else { throw error }
      }
    }
    // This must come last: creating entries in the directory changes its time, and needs the permission to write.
    guard fchmod(copy.number, mode_t(status.permissions)) == 0 else { throw copy.failure("set the mode of", .top) }
    try setTimes(of: destination, in: new, status)
  }

  private func copyFile(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder, _ status: EntryStatus
  ) throws(AppContainerError) {
    let reading = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    guard let source = Descriptor(uninterrupted { openat(old.number, path.cString, reading) }) else {
      throw old.failure("read", path)
    }
    let writing = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let copy = Descriptor(uninterrupted { openat(new.number, destination.cString, writing, 0o600) }) else {
      throw new.failure("create", destination)
    }
    var buffer = [UInt8](repeating: 0, count: min(max(status.size, 1), 1 << 18))
    var size = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { readAll($0, from: source.number) }
      guard count >= 0 else { throw old.failure("read", path) }
      if count == 0 { break }
      let written = buffer.withUnsafeBytes { writeAll(.init(rebasing: $0[..<count]), to: copy.number, after: size) }
      guard written == count else { throw new.failure("write", destination) }
      size += count
    }
    guard fchmod(copy.number, mode_t(status.permissions)) == 0 else {
      throw new.failure("set the mode of", destination)
    }
    guard copy.close() == 0 else { throw new.failure("write", destination) }
    try setTimes(of: destination, in: new, status)
  }

  private func copyLink(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder, _ status: EntryStatus
  ) throws(AppContainerError) {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlinkat(old.number, path.cString, &target, target.count - 1)
    guard count >= 0 else { throw old.failure("read the link", path) }
    target[count] = 0
    guard symlinkat(target, new.number, destination.cString) == 0 else { throw new.failure("create", destination) }
    try setTimes(of: destination, in: new, status)
  }

  private func setTimes(of path: EntryPath, in folder: Folder, _ status: EntryStatus) throws(AppContainerError) {
    let times = [status.accessed, status.modified]
    guard utimensat(folder.number, path.cString, times, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw folder.failure("set the times of", path)
    }
  }
}
