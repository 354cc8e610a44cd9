import CLibrary

/// The state of a file at one poll, with which the next poll compares it.
///
/// A recent stamp is not trusted, because a second change within one tick of the file system's clock would leave the
/// same stamp. The content is therefore compared as well until the stamp has been known for a while. That time is
/// measured locally, because the file's times come from another machine's clock.
package struct FileMark: Sendable {
  /// The difference from the previous poll.
  package enum Difference: Sendable {
    case none
    case attributes
    case content
  }

  /// The longest tick of any file system's clock.
  private static let tick = Duration.seconds(2)

  /// The maximum size of a file whose content is read.
  ///
  /// A larger file is compared by its stamp only.
  private static let contentLimit = 4 << 20

  package private(set) var stamp: FileStamp
  private var firstSeen: ContinuousClock.Instant?
  private var digest: Int?

  /// Creates the mark of the current state.
  package init(_ stamp: FileStamp, path: String, in directory: CInt = AT_FDCWD) {
    self.stamp = stamp
    begin(path, directory)
  }

  /// Creates the mark of a file that has not changed for a while, without reading it.
  init(trusting stamp: FileStamp) {
    self.stamp = stamp
  }

  /// Compares the mark with the current state, and replaces it.
  package mutating func update(_ now: FileStamp, path: String, in directory: CInt = AT_FDCWD) -> Difference {
    let old = stamp
    stamp = now
    guard now == old else {
      let oldDigest = digest
      begin(path, directory)
      guard now.hasContent(of: old) else { return .content }
      guard let oldDigest, oldDigest != digest else { return .attributes }
      return .content
    }
    guard let firstSeen else { return .none }
    let isOld = ContinuousClock.now - firstSeen >= Self.tick
    let oldDigest = digest
    digest = Self.digest(of: path, in: directory, size: now.size)
    // The content was read after the stamp became old, so any later change has a different stamp.
    if isOld { self.firstSeen = nil }
    return digest == oldDigest ? .none : .content
  }

  private mutating func begin(_ path: String, _ directory: CInt) {
    digest = Self.digest(of: path, in: directory, size: stamp.size)
    firstSeen = .now
  }

  /// Returns a Boolean value that indicates whether a file is part of an SQLite database in use.
  ///
  /// Closing any descriptor of such a file releases the locks that SQLite has acquired in it for this process.
  private static func isOfDatabase(_ path: String, _ directory: CInt) -> Bool {
    if path.ends(with: "-shm") { return true }
    if FileStatus.ifReadable(path: path + "-shm", relativeTo: directory) != nil { return true }
    // If it is unknown, the file is not opened.
    return ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno)
  }

  /// Returns a hash of the whole content, or `nil` if it cannot be read, is too large, or must not be opened.
  private static func digest(of path: String, in directory: CInt, size: Int) -> Int? {
    guard size <= contentLimit, !isOfDatabase(path, directory) else { return nil }
    let number = uninterrupted { openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard let file = Descriptor(number), file.status?.kind == .regular else { return nil }
    var hasher = Hasher()
    let isRead = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      while true {
        let count = readSome(buffer, from: file.number)
        guard count > 0 else { return count == 0 }
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    return isRead ? hasher.finalize() : nil
  }
}
