public import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The kernel's list of locks, as far as the system provides one.
public enum LockTable {
  /// Returns the files in a directory whose locks a process holds, by their inodes.
  ///
  /// The list is empty on systems that do not list locks.
  public static func files(in directory: URL, lockedBy process: Int32) throws -> [String] {
    #if os(Linux)
      let lines = try String(contentsOf: URL(filePath: "/proc/locks"), encoding: .utf8).split(separator: "\n")
      let inodes = lines.compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard words.count > 5, words[1] != "->", Int32(words[4]) == process else { return nil }
        return words[5].split(separator: ":").last.map(String.init)
      }
      if inodes.isEmpty { return [] }
      let files = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
      return files.filter { file in
        var status = stat()
        return lstat(directory.path + "/" + file, &status) == 0 && inodes.contains("\(status.st_ino)")
      }
    #else
      return []
    #endif
  }
}
