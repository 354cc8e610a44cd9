#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A directory of a tree, opened without following any symbolic link in it, so that nothing leads out of the tree.
final class OpenDirectory {
  /// An entry as it was found.
  struct Entry {
    let stamp: FileStamp
    let kind: FileStatus.Kind
  }

  private let descriptor: Descriptor

  var number: CInt { descriptor.number }

  /// Opens a directory; `nil` with `errno` set if that fails.
  ///
  /// - Parameters:
  ///   - inner: Its path from the root of the tree on; empty for the root itself.
  ///   - root: The path of the root, free of symbolic links.
  init?(_ inner: String, below root: String) {
    guard var current = Self.open(root, in: AT_FDCWD) else { return nil }
    // One name at a time: the system would follow a link in the middle, and take no path as long as a deep tree's.
    for name in inner.split(separator: "/") {
      guard let next = Self.open(String(name), in: current.number) else { return nil }
      current = next
    }
    descriptor = current
  }

  private static func open(_ path: String, in directory: CInt) -> Descriptor? {
    Descriptor(uninterrupted { openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }

  var identity: FileIdentity? { descriptor.status?.identity }

  /// Looks at an entry, without following it; `nil` with `errno` set if there is none.
  func entry(_ name: String) -> Entry? {
    var status = stat()
    guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return Entry(stamp: FileStamp(status), kind: FileStatus(status).kind)
  }

  /// All entries that are wanted; `nil` with `errno` set if they cannot be listed.
  ///
  /// - Parameter isWanted: Given a name and whether it may be a directory's.
  /// - Returns: The entries by their names.
  func entries(where isWanted: (_ name: String, _ isPerhapsDirectory: Bool) -> Bool) -> [ExactString: Entry]? {
    // A descriptor with a place of its own: the list must begin at the beginning.
    let copy = uninterrupted { openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    var entries: [ExactString: Entry] = [:]
    let isComplete = DirectoryListing.forEachEntry(of: copy) { record in
      let name = DirectoryListing.name(of: record)
      if name == "." || name == ".." || name == FileLocation.sharedFolder { return }
      let type = Int(record.pointee.d_type)
      guard isWanted(name, type == Int(DT_DIR) || type == Int(DT_UNKNOWN)) else { return }
      // What is gone by now is not there.
      if let entry = entry(name) { entries[ExactString(name)] = entry }
    }
    return isComplete ? entries : nil
  }
}
