package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A directory that a file must not lead out of, although others may put symbolic links into it at any moment.
///
/// A check of a path is worth nothing once the path is used: a link may have been swapped in between. So the directory
/// of the file is opened name by name, without following any link, beginning at the root. What is opened that way lies
/// within the root, and everything that follows is done relative to it.
package struct FileConfinement: Sendable {
  /// The directory, free of symbolic links.
  ///
  /// Whoever may replace it or a directory above it is trusted.
  private let root: String

  /// A directory within the root that the file must not lead into, free of symbolic links.
  private let closed: String?

  /// How often a path is resolved anew because others changed a link on the way at that very moment.
  static let attempts = 10

  /// Makes a confinement.
  ///
  /// - Parameters:
  ///   - root: The directory, free of symbolic links.
  ///   - closed: A directory within it that the file must not lead into.
  package init(to root: URL, except closed: URL? = nil) {
    self.root = root.path
    self.closed = closed?.path
  }

  /// Throws if a path that is free of symbolic links leads out of the root.
  func check(_ target: String, of url: URL) throws(DurableFileError) {
    let isClosed = closed.map { Self.isBelow($0, target) } ?? false
    guard Self.isBelow(root, target), !isClosed else { throw .outsideRoot(url, target: target) }
  }

  private static func isBelow(_ directory: String, _ path: String) -> Bool {
    // By bytes: names that look alike are two directories.
    path.utf8.starts(with: (directory.hasSuffix("/") ? directory : directory + "/").utf8)
  }

  /// A directory that was found to lie within the root.
  struct Opened: ~Copyable {
    let directory: Descriptor
    /// The path by which it was opened, free of links from the root on.
    let path: String
  }

  /// Opens the directory of a file; links that stay within the root are followed.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - name: The file's name in it.
  ///   - url: The file that was asked for, for errors.
  /// - Returns: The directory, or `nil` with `errno` set if it cannot be opened.
  /// - Throws: ``DurableFileError/outsideRoot(_:target:)``.
  func open(_ path: String, for name: String, of url: URL) throws(DurableFileError) -> Opened? {
    var path = path
    for _ in 0..<Self.attempts {
      try check(path == "/" ? "/\(name)" : "\(path)/\(name)", of: url)
      if let directory = walk(path) { return Opened(directory: directory, path: path) }
      // There is a link on the way, or something else that is no directory.
      guard errno == ELOOP || errno == ENOTDIR, let target = canonicalPath(path) else { return nil }
      path = target
    }
    errno = ENOTDIR
    return nil
  }

  /// Whether a directory that was opened is still the one at its path, with no link on the way.
  func holds(_ path: String, _ identity: FileIdentity) -> Bool {
    if names(of: path).count > 1 {
      // Another process may have put a link in the place of each directory in between.
      guard let directory = walk(path) else { return false }
      return directory.status?.identity == identity
    }
    guard FileStatus(path: root, followsLinks: false)?.kind == .directory else { return false }
    return FileStatus(path: path, followsLinks: false)?.identity == identity
  }

  /// The names that lead from the root to a directory.
  private func names(of path: String) -> [Substring.UTF8View] {
    path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/"))
  }

  private func walk(_ path: String) -> Descriptor? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    guard var directory = Descriptor(uninterrupted { openat(AT_FDCWD, root, flags) }) else { return nil }
    for name in names(of: path) {
      let number = uninterrupted { openat(directory.number, String(Substring(name)), flags) }
      guard let next = Descriptor(number) else { return nil }
      directory = next
    }
    return directory
  }
}
