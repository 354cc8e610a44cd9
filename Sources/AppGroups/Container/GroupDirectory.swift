import CLibrary
import FileSignals
package import Foundation

/// Creates the directories of a group, which only the user may enter.
///
/// If the superuser creates a directory, it gets the owner of its parent directory, who could not enter it otherwise.
package enum GroupDirectory {
  /// Creates a directory and its parent directories, unless they exist.
  ///
  /// - Returns: The directory with symbolic links resolved, so that later comparisons of paths are valid.
  static func make(_ url: URL) throws(AppGroupsError) -> URL {
    guard url.isFileURL else { throw .unusableDirectory(url, reason: "it is not a file URL") }
    guard !url.path.utf8.contains(0) else { throw .unusableDirectory(url, reason: "its path contains a NUL character") }
    try makeAll(url.path, for: url)
    do throws(DurableFileError) {
      guard let path = try canonicalPath(url.path) else { throw DurableFileError(errno, "resolve", url) }
      return URL(filePath: path, directoryHint: .isDirectory)
    } catch {
      throw .unusableDirectory(url, reason: clause(error.description))
    }
  }

  /// Creates a directory of a group and its parent directories, unless they exist.
  package static func makeAll(_ url: URL) throws(AppGroupsError) {
    _ = try make(url)
  }

  /// Creates a directory in a parent directory whose symbolic links are resolved, unless it exists.
  ///
  /// A symbolic link in its place is refused.
  static func make(_ name: String, in parent: URL) throws(AppGroupsError) -> URL {
    let url = parent.appending(path: name, directoryHint: .isDirectory)
    try make(at: url.path, of: url, owner: .ifReadable(path: parent.path))
    return url
  }

  /// Makes one directory, unless it exists; a symbolic link in its place is refused.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - base: The open directory to which a relative path refers.
  ///   - url: The directory that errors report.
  ///   - owner: The directory whose owner receives the new one if the superuser makes it.
  /// - Throws: ``AppGroupsError/unusableDirectory(_:reason:)``.
  static func make(
    at path: String, in base: CInt = AT_FDCWD, of url: URL, owner: @autoclosure () -> FileStatus?
  ) throws(AppGroupsError) {
    if makeDirectory(path, in: base) {
      if let made = Descriptor(directory: path, in: base) { inheritOwner(made.number, from: owner()) }
      return
    }
    let reason = errno
    // Where nothing may be created, the system reports that even for a directory that exists.
    guard let status = FileStatus.ifReadable(path: path, relativeTo: base, followsLinks: false) else {
      // If the directory exists, it cannot be used because it cannot be examined.
      if reason != EEXIST { errno = reason }
      throw failure(url)
    }
    switch status.kind {
    case .directory: return
    case .link: throw .unusableDirectory(url, reason: "it is a symbolic link, which could lead out of the group")
    default: throw .unusableDirectory(url, reason: errorWords(ENOTDIR))
    }
  }

  private static func makeAll(_ path: String, for url: URL) throws(AppGroupsError) {
    let parent = (path as NSString).deletingLastPathComponent
    if makeDirectory(path) { return inheritOwner(ofDirectory: path, from: parent) }
    switch errno {
    case EEXIST:
      guard let status = FileStatus.ifReadable(path: path) else { throw failure(url) }
      guard status.kind == .directory else { throw .unusableDirectory(url, reason: errorWords(ENOTDIR)) }
    case ENOENT:
      guard !parent.isEmpty, parent != path else { throw failure(url) }
      try makeAll(parent, for: url)
      // Another process may have created it in between.
      if makeDirectory(path) { return inheritOwner(ofDirectory: path, from: parent) }
      guard errno == EEXIST else { throw failure(url) }
    default:
      throw failure(url)
    }
  }

  private static func failure(_ url: URL) -> AppGroupsError {
    .unusableDirectory(url, reason: errorWords(errno))
  }
}
