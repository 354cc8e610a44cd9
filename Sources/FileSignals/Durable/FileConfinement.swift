import CLibrary
package import Foundation

/// A directory that a file must not lead out of, even if other programs can create symbolic links in it at any moment.
///
/// Checking a path before using it is not enough: a link may be switched in between the two. The directory of the file
/// is therefore opened name by name, without following links, starting at the root. A directory that is opened in this
/// way is inside the root, and all further operations are relative to it.
package struct FileConfinement: Sendable {
  /// The directory, free of symbolic links.
  ///
  /// Any user who can replace it or a directory above it is trusted.
  private let root: String

  /// A directory within the root that the file must not lead into, free of symbolic links.
  private let closed: String?

  /// Creates a confinement.
  ///
  /// - Parameters:
  ///   - root: The directory, free of symbolic links.
  ///   - closed: A directory within it that the file must not lead into.
  package init(to root: URL, except closed: URL? = nil) {
    self.root = root.path
    self.closed = closed?.path
  }

  /// Throws an error if a path that is free of symbolic links leads out of the root.
  func check(_ target: String, of url: URL) throws(DurableFileError) {
    let isClosed = closed.map { Self.isBelow($0, target) } ?? false
    guard Self.isBelow(root, target), !isClosed else { throw .outsideRoot(url, target: target) }
  }

  private static func isBelow(_ directory: String, _ path: String) -> Bool { path.isPath(below: directory) }

  /// A directory that is known to be inside the root.
  struct Opened: ~Copyable {
    let directory: Descriptor
    /// The path by which it was opened, free of links from the root on.
    let path: String
  }

  /// The end of the attempts to open a directory.
  private enum Opening: ~Copyable {
    case opened(Opened)
    case failed
  }

  /// Opens the directory of a file, following links that stay inside the root.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - name: The file's name in the directory.
  ///   - url: The requested file, for errors.
  /// - Returns: The directory, or `nil` with `errno` set if it cannot be opened.
  /// - Throws: ``DurableFileError/outsideRoot(_:target:)``, or the error of resolving a link.
  func open(_ path: String, for name: String, of url: URL) throws(DurableFileError) -> Opened? {
    var path = path
    var failure = ENOTDIR
    // Other programs may change a link in the path at any time.
    let opened = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> Opening? in
      try check(path == "/" ? "/\(name)" : "\(path)/\(name)", of: url)
      if let directory = walk(path) { return .opened(Opened(directory: directory, path: path)) }
      // The path contains a link, or something else that is not a directory.
      guard errno == ELOOP || errno == ENOTDIR, let target = try canonicalPath(path, of: url) else {
        failure = errno
        return .failed
      }
      path = target
      try check(path == "/" ? "/\(name)" : "\(path)/\(name)", of: url)
      // The path without links leads there, unless another link has appeared on it.
      guard let directory = walk(path) else { return nil }
      return .opened(Opened(directory: directory, path: path))
    }
    if case .opened(let opened) = opened { return opened }
    errno = failure
    return nil
  }

  /// Returns a Boolean value that indicates whether an opened directory is still the one at its path, without links in
  /// between.
  ///
  /// - Throws: ``DurableFileError`` if that is unknown.
  func holds(_ path: String, _ identity: FileIdentity) throws(DurableFileError) -> Bool {
    if names(of: path).count > 1 {
      // Another process may have replaced any directory in between with a link.
      guard let directory = walk(path) else {
        if errno == ELOOP { return false }
        if let error = DurableFileError(unlessAbsent: errno, "open", URL(filePath: path)) { throw error }
        return false
      }
      return directory.status?.identity == identity
    }
    // Users who can replace the root are trusted, so its own kind does not matter.
    return try FileStatus(path: path, followsLinks: false)?.identity == identity
  }

  /// Returns the names that lead from the root to a directory.
  private func names(of path: String) -> [Substring.UTF8View] {
    path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/"))
  }

  private func walk(_ path: String) -> Descriptor? {
    guard var directory = Descriptor(directory: root) else { return nil }
    for name in names(of: path) {
      // The path may not be standardized.
      guard !name.elementsEqual("..".utf8) else {
        errno = ELOOP
        return nil
      }
      guard let next = Descriptor(directory: String(Substring(name)), in: directory.number) else { return nil }
      directory = next
    }
    return directory
  }

  // MARK: Directories directly in the root

  /// Returns a Boolean value that indicates whether ``openDirectly(_:)`` may open a directory.
  ///
  /// - Parameter path: The path of the directory. Links are not resolved.
  /// - Returns: `true` if the path is that of the root and one name, and if files in the directory are not refused.
  func canOpenDirectly(_ path: String) -> Bool {
    let isClosed = closed.map { Self.isBelow($0, path + "/") } ?? false
    guard Self.isBelow(root, path), !isClosed else { return false }
    let name = path.utf8.dropFirst(root.hasSuffix("/") ? root.utf8.count : root.utf8.count + 1)
    // With a slash at its end, the name would be followed if it is a link.
    return !name.isEmpty && !name.contains(UInt8(ascii: "/")) && ![".", ".."].contains(String(Substring(name)))
  }

  /// Opens a directory directly in the root, without opening the root.
  ///
  /// This needs no permission to list the root.
  ///
  /// - Parameter path: A path for which ``canOpenDirectly(_:)`` is `true`.
  /// - Returns: The directory, or `nil` if it cannot be opened or one of the two is a link.
  func openDirectly(_ path: String) -> Descriptor? {
    // After an error, the slower way reports it.
    guard FileStatus.ifReadable(path: root, followsLinks: false)?.kind == .directory else { return nil }
    // The last name cannot be a link. A link before it would have to replace the root or a directory above
    // it, and users who can do that are trusted.
    return Descriptor(directory: path)
  }
}
