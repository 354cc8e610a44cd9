package import Foundation

/// A new directory, which is removed with the object.
package final class TemporaryDirectory {
  package let url: URL

  /// Makes a directory on the disk, or in the memory file system where the system has one.
  package init(isInMemory: Bool) throws {
    let memory = URL(filePath: "/dev/shm")
    let hasMemory = isInMemory && FileManager.default.fileExists(atPath: memory.path)
    let parent = hasMemory ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "signals-benchmark-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The place of a file in it.
  package func file(_ name: String) -> URL { url.appending(path: name) }

  deinit {
    // Sound to ignore: a folder that was left over harms nobody.
    do { try FileManager.default.removeItem(at: url) } catch {}
  }
}
