public import Foundation

/// The locks of files, as far as the system lists them.
public enum LockTable {
  /// Returns the files in a directory in which a process holds locks.
  ///
  /// They are read one open file after another: the kernel's list of all locks is read in pieces, and misses locks while
  /// other threads release theirs. The list is empty on systems that do not list locks.
  public static func files(in directory: URL, lockedBy process: Int32) throws -> [String] {
    #if os(Linux)
      let folder = directory.resolvingSymlinksInPath().path + "/"
      let manager = FileManager.default
      let files = try manager.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { number -> String? in
        // A file that has just been closed has no entry any more.
        guard let path = try? manager.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(number)"),
          path.hasPrefix(folder),
          let status = try? String(contentsOfFile: "/proc/\(process)/fdinfo/\(number)", encoding: .utf8),
          status.contains("lock:")
        else { return nil }
        return String(path.dropFirst(folder.count))
      }
      return Array(Set(files))
    #else
      return []
    #endif
  }
}
