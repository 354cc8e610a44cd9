import CLibrary

/// An open directory of a tree, reached without following symbolic links, so that it is inside the tree.
final class OpenDirectory {
  /// An entry as it was found.
  struct Entry {
    let stamp: FileStamp
    let kind: FileStatus.Kind
  }

  private let descriptor: Descriptor

  var number: CInt { descriptor.number }

  /// Opens a directory.
  ///
  /// Fails with `errno` set.
  ///
  /// - Parameters:
  ///   - inner: The path relative to the root of the tree; empty for the root itself.
  ///   - root: The path of the root, free of symbolic links.
  init?(_ inner: String, below root: String) {
    guard var current = Self.open(root, in: AT_FDCWD) else { return nil }
    // One name at a time: the system would follow a link in the middle, and does not accept a path as long as a deep
    // tree's.
    for name in inner.parts(separatedBy: "/", omittingEmpty: true) {
      guard let next = Self.open(name, in: current.number) else { return nil }
      current = next
    }
    descriptor = current
  }

  private static func open(_ path: String, in directory: CInt) -> Descriptor? {
    Descriptor(uninterrupted { openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }

  var identity: FileIdentity? { descriptor.status?.identity }

  /// Returns an entry without following it, or `nil` with `errno` set if there is none.
  func entry(_ name: String) -> Entry? {
    FileStatus.ifReadable(path: name, relativeTo: number, followsLinks: false).map {
      Entry(stamp: $0.stamp, kind: $0.kind)
    }
  }

  /// Returns the entries that satisfy a condition, or `nil` with `errno` set if the directory cannot be listed.
  ///
  /// - Parameter isWanted: A closure that receives a name, and whether it may belong to a directory.
  /// - Returns: The entries by name.
  func entries(where isWanted: (_ name: String, _ isPerhapsDirectory: Bool) -> Bool) -> [ExactString: Entry]? {
    // A separate descriptor with its own position, so that the listing starts at the beginning.
    let copy = uninterrupted { openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    var entries: [ExactString: Entry] = [:]
    var failure: CInt?
    let isComplete = DirectoryListing.forEachEntry(of: copy) { record in
      let name = DirectoryListing.name(of: record)
      if name == "." || name == ".." || name == FileLocation.sharedFolder { return }
      let type = Int(record.pointee.d_type)
      guard isWanted(name, type == Int(DT_DIR) || type == Int(DT_UNKNOWN)) else { return }
      if let entry = entry(name) {
        entries[ExactString(name)] = entry
      } else if errno != ENOENT {
        // Only an entry that has been removed since is skipped.
        failure = errno
      }
    }
    if let failure { errno = failure }
    return isComplete && failure == nil ? entries : nil
  }
}
