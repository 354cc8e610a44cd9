import CLibrary
package import Foundation

/// A namespace for listing directories.
package enum DirectoryListing {
  /// Returns the names of the entries of a directory, including "." and "..", or `nil` if there is no directory.
  ///
  /// - Throws: ``DurableFileError`` if not all of them can be read.
  package static func names(in directory: URL) throws(DurableFileError) -> [String]? {
    try names(at: directory.path, of: directory)
  }

  /// Returns the names of the entries of a directory, whose path may be relative to an open directory.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - base: The open directory to which a relative path refers.
  ///   - url: The directory that errors report.
  /// - Returns: The names, or `nil` if there is no directory.
  /// - Throws: ``DurableFileError`` if not all of them can be read.
  package static func names(
    at path: String, in base: CInt = AT_FDCWD, of url: URL
  ) throws(DurableFileError) -> [String]? {
    var names: [String] = []
    let descriptor = uninterrupted { openat(base, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    if forEachEntry(of: descriptor, { names.append(name(of: $0)) }) { return names }
    if let error = DurableFileError(unlessAbsent: errno, "list", url) { throw error }
    return nil
  }

  /// Calls a closure with each entry of a directory, including "." and "..".
  ///
  /// - Parameters:
  ///   - directory: A descriptor at the beginning of the directory, which is closed. It is negative, with `errno` set,
  ///     if opening failed.
  ///   - body: A closure that is called with an entry, which is valid until the closure returns.
  /// - Returns: `true` if all entries were read; otherwise `errno` is set.
  package static func forEachEntry(of directory: CInt, _ body: (UnsafeMutablePointer<dirent>) -> Void) -> Bool {
    guard directory >= 0 else { return false }
    guard let stream = fdopendir(directory) else {
      let reason = errno
      close(directory)
      errno = reason
      return false
    }
    var reason: CInt = 0
    while true {
      // Only `errno` distinguishes the end from a failure. After a failure, an incomplete list would look like missing
      // entries.
      errno = 0
      guard let entry = readdir(stream) else {
        reason = errno
        break
      }
      body(entry)
    }
    closedir(stream)
    errno = reason
    return reason == 0
  }

  /// Returns the name in an entry that `readdir` returned.
  package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // Sound: `d_name` ends with a NUL and lives until the next call; a copy of `dirent` could truncate it.
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
    }
  }
}
