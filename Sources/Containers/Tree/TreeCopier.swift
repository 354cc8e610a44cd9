import AppGroups
import CLibrary
import FileSignals
import Foundation

/// Copies trees with contents, modes and times.
///
/// Links are copied as links. A file or database that other programs change is copied as it was at one moment; see
/// ``FileSnapshot``.
struct TreeCopier {
  /// The number of copied entries, including directories.
  private(set) var count = 0

  let descriptors: SeparateDescriptors

  /// Receives the number of copied entries on the thread of the caller, and returns whether to continue.
  var progress: (Int) -> Bool = { _ in true }

  /// The logs and journals of databases, which were copied with them.
  private(set) var covered: Set<URL> = []

  /// Copies entries of a directory, which must be sorted, to the same places in another one.
  mutating func copy(_ entries: [EntryPath], of old: Folder, into new: Folder) throws(AppContainerError) {
    for entry in entries {
      for parent in entry.ancestors {
        try new.makeDirectory(parent, permissions: old.status(of: parent)?.mode ?? 0o700)
      }
      try copyUnlessRemoved(entry, in: old, to: entry, in: new)
    }
  }

  private mutating func copyUnlessRemoved(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) {
    do throws(AppContainerError) {
      try copy(path, in: old, to: destination, in: new)
    } catch {
      // Another process has removed the entry in the meantime, such as a temporary file or a segment of a log.
      if case .cancelled = error { throw error }
      guard try old.status(of: path) == nil else { throw error }
    }
  }

  /// Copies an entry and its contents.
  ///
  /// The destination must not exist, unless both are directories.
  mutating func copy(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) {
    guard covered.isEmpty || !covered.contains(old.place(of: path)) else { return }
    guard let status = try old.status(of: path) else { throw old.failure("inspect", path) }
    switch status.kind {
    case .directory: try copyDirectory(path, in: old, to: destination, in: new, status)
    case .regular: try copyFile(path, in: old, to: destination, in: new)
    case .link: try copyLink(path, in: old, to: destination, in: new, status)
    case .pipe, .socket, .device: throw .unsupportedFile(old.place(of: path), kind: status.kind.rawValue)
    }
    count += 1
    let mayContinue = descriptors.onCaller { [progress, count] in progress(count) && !Task.isCancelled }
    guard mayContinue else {
      throw .cancelled(operation: "The copy of \(old.url.path)")
    }
  }

  private mutating func copyDirectory(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder, _ status: FileStatus
  ) throws(AppContainerError) {
    try new.makeDirectoryOfTree(destination)
    let source = try Folder(path, in: old)
    let copy = try Folder(destination, in: new)
    // A log's cursors are in a hidden folder. Copied before the events, they are never ahead of them.
    for name in try source.names().sorted() {
      try copyUnlessRemoved(name, in: source, to: name, in: copy)
    }
    // This must come last: creating entries in the directory changes its time, and needs the permission to write.
    guard fchmod(copy.number, mode_t(status.mode)) == 0 else { throw copy.failure("set the mode of", .top) }
    try setTimes(of: destination, in: new, status)
  }

  private mutating func copyFile(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) {
    let patience = DirectoryRules.patience(for: old.url)
    let copied = try FileLock.waiting.repeating(within: patience) { () throws(AppContainerError) -> [EntryPath]? in
      let snapshot = try FileSnapshot.open(path, in: old, with: descriptors, within: patience)
      var (names, checksums): ([EntryPath], [UInt32?]) = ([], [])
      for part in snapshot.parts {
        // The name of a log is that of its database with a suffix.
        let name = EntryPath(bytes: destination.bytes + part.name.bytes.dropFirst(path.bytes.count))
        names.append(name)
        checksums.append(try write(part, in: old, to: name, in: new))
      }
      if try snapshot.isIntact(checksums) { return snapshot.belonging }
      for name in names { unlinkat(new.number, name.cString, 0) }
      return nil
    }
    guard let copied else { throw FileSnapshot.busy(old, path) }
    for name in copied { covered.insert(old.place(of: name)) }
  }

  /// Writes a file, and returns the checksum of its content, or `nil` if the original has become shorter.
  private func write(
    _ part: FileSnapshot.Part, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) -> UInt32? {
    let writing = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let copy = Descriptor(uninterrupted { openat(new.number, destination.cString, writing, 0o600) }) else {
      throw new.failure("create", destination)
    }
    let number = copy.number
    var size = 0
    let checksum = try part.read(in: old) { bytes throws(AppContainerError) in
      guard bytes.withUnsafeBytes({ writeAll($0, to: number, after: size) }) == bytes.count else {
        let failure = new.failure("write", destination)
        // As for a file that is replaced: its space is free at once, even if a new process has inherited it.
        _ = ftruncate(number, 0)
        throw failure
      }
      size += bytes.count
    }
    guard fchmod(number, mode_t(part.status.mode)) == 0 else {
      throw new.failure("set the mode of", destination)
    }
    guard copy.close() == 0 else { throw new.failure("write", destination) }
    try setTimes(of: destination, in: new, part.status)
    return checksum
  }

  private func copyLink(
    _ path: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder, _ status: FileStatus
  ) throws(AppContainerError) {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlinkat(old.number, path.cString, &target, target.count - 1)
    guard count >= 0 else { throw old.failure("read the link", path) }
    target[count] = 0
    guard symlinkat(target, new.number, destination.cString) == 0 else { throw new.failure("create", destination) }
    try setTimes(of: destination, in: new, status)
  }

  private func setTimes(of path: EntryPath, in folder: Folder, _ status: FileStatus) throws(AppContainerError) {
    let times = [status.accessed, status.modified]
    guard utimensat(folder.number, path.cString, times, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw folder.failure("set the times of", path)
    }
  }
}
