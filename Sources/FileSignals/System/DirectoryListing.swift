package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What lies in directories.
package enum DirectoryListing {
  /// The names of what lies in a directory, "." and ".." among them; `nil` with `errno` set if not all of it can be
  /// read.
  package static func names(in directory: URL) -> [String]? {
    var names: [String] = []
    let descriptor = uninterrupted { [path = directory.path] in open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    return forEachEntry(of: descriptor) { names.append(name(of: $0)) } ? names : nil
  }

  /// Calls a closure with each entry of a directory, "." and ".." among them.
  ///
  /// - Parameters:
  ///   - directory: A descriptor at the directory's beginning, which is closed; negative with `errno` set if there is
  ///     none.
  ///   - body: Called with an entry, which is valid until it returns.
  /// - Returns: Whether all of it was read; otherwise `errno` says why not.
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
      // Nothing else tells the end from a failure, after which half a list would say that the rest is not there.
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

  /// The name in an entry that `readdir` returned.
  static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // Sound: `d_name` ends with a NUL and lives until the next call; a copy of `dirent` could cut it short.
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
    }
  }
}
