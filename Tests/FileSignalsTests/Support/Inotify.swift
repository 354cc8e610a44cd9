#if os(Linux)
  import Foundation
  import CLibrary

  /// The descriptors of this process's inotify instances.
  func inotifyInstances() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { descriptor in
      var name = [UInt8](repeating: 0, count: 64)
      let count = name.withUnsafeMutableBytes { buffer in
        buffer.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, 64) } ?? 0
      }
      return String(decoding: name[..<max(count, 0)], as: UTF8.self) == "anon_inode:inotify"
    }
  }

  /// The number of directories that they watch.
  func watchCount() throws -> Int {
    try inotifyInstances().reduce(0) { sum, descriptor in
      let info = FileManager.default.contents(atPath: "/proc/self/fdinfo/\(descriptor)") ?? Data()
      return sum + String(decoding: info, as: UTF8.self).split(separator: "\n").count { $0.hasPrefix("inotify wd") }
    }
  }
#endif
