import CLibrary
import FileSignals
import Foundation
import Signals

/// A hidden folder in which one copy of a database is made, and whose lock shows that its process is running.
///
/// Each copy has a folder of its own, so copies to one destination never use a file of another. A killed process leaves
/// its folder, and the next copy in the same directory removes it.
struct CopyFolder: ~Copyable {
  private let path: String
  private let lock: FileLock

  private static let prefix = ".partial-"

  /// The path of the incomplete copy.
  var copy: String { path + "/copy" }

  /// Creates and locks a folder in a directory.
  init(in directory: String) throws(DurableFileError) {
    for _ in 0..<100 {
      let path = "\(directory)/\(Self.prefix)\(UUID.random().uuidString)"
      guard mkdir(path, 0o700) == 0 else { throw DurableFileError(errno, "create", URL(filePath: path)) }
      do throws(DurableFileError) {
        guard let lock = try Self.lock(path) else { continue }
        self.lock = lock
        self.path = path
        return
      } catch .notFound {
        // Another process found the folder before its lock was held, and has removed it.
        continue
      } catch {
        Self.remove(path)
        throw error
      }
    }
    throw .system(operation: "create a folder in", path: directory, errno: EAGAIN)
  }

  /// Removes the folder with everything that is still in it.
  func remove() {
    Self.remove(path)
    lock.unlock()
  }

  /// Removes the folders in a directory whose processes have ended.
  ///
  /// A folder that cannot be removed is harmless, and the next copy makes another attempt.
  static func removeAbandoned(in directory: String) {
    FileLock.removeUnheld(in: URL(filePath: directory)) { name throws(DurableFileError) in
      guard name.hasPrefix(prefix), UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else { return nil }
      let isFolder = FileStatus.ifReadable(path: "\(directory)/\(name)", followsLinks: false)?.kind == .directory
      return isFolder ? try lock("\(directory)/\(name)") : nil
    } remove: { name in
      remove("\(directory)/\(name)")
    }
  }

  private static func lock(_ path: String) throws(DurableFileError) -> FileLock? {
    try FileLock.acquired(at: URL(filePath: path + "/lock", directoryHint: .notDirectory))
  }

  /// Removes a folder of this process, or one whose lock this process holds.
  private static func remove(_ path: String) {
    // The lock is removed last, because it gives the right to touch the other files.
    for name in ["copy", "copy-wal", "copy-shm", "copy-journal", "lock"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

extension FileLock {
  /// Removes what is left in a directory by processes that have ended: what no process holds the lock of.
  ///
  /// A name that cannot be removed is left in place.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - lock: Returns the lock of a name, or `nil` if a process holds it, or if the name is another one.
  ///   - remove: Removes a name, with the lock held.
  static func removeUnheld(
    in directory: URL, _ lock: (String) throws(DurableFileError) -> FileLock?, remove: (String) -> Void
  ) {
    var names: [String] = []
    do throws(DurableFileError) {
      names = try DirectoryListing.names(in: directory) ?? []
    } catch {
      return
    }
    for name in names {
      do throws(DurableFileError) {
        guard let lock = try lock(name) else { continue }
        remove(name)
        lock.unlock()
      } catch {
        continue
      }
    }
  }
}
