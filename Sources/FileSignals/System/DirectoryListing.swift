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
  /// The names of what lies in a directory, "." and ".." among them; `nil` with `errno` set if it cannot be opened.
  package static func names(in directory: URL) -> [String]? {
    guard let stream = opendir(directory.path) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) { names.append(name(of: entry)) }
    return names
  }

  /// The name in an entry that `readdir` returned.
  static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // Sound: `d_name` ends with a NUL and lives until the next call; a copy of `dirent` could cut it short.
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
    }
  }
}
