import CLibrary
import FileSignals
import Foundation

/// The file of an announcement, which this process holds open and locked.
///
/// The lock is released with the last reference. When the process ends, the kernel closes the file, which notifies the
/// observers of the directory, and releases the lock, which shows them that the process is gone.
final class PresenceFile: Sendable {
  /// The lock, whose file is open for writing and is not inherited by child processes.
  ///
  /// Only closing a file that is open for writing is an event.
  private let lock: FileLock

  /// Creates a file with this content, or replaces one of our own.
  ///
  /// The file is complete and locked before any other process can find it. Nothing here waits for another process.
  init(_ data: Data, at url: URL, temporariesIn folder: URL) throws(DurableFileError) {
    // A process that removes litter may hold the lock, or may have removed the file.
    let lock = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> FileLock? in
      let temporary = folder.appending(path: "\(UUID.random().uuidString).tmp", directoryHint: .notDirectory)
      guard let lock = FileLock(temporary.path, .new, of: url, owner: .ifReadable(path: folder.path)) else {
        throw DurableFileError(errno, "create a temporary file for", url)
      }
      do throws(DurableFileError) {
        guard try lock.tryLock(), try lock.isFile(at: temporary.path) else {
          unlink(temporary.path)
          return nil
        }
        guard data.withUnsafeBytes({ writeAll($0, to: lock.number, after: 0) }) == data.count else {
          throw DurableFileError(errno, "write", url)
        }
        guard rename(temporary.path, url.path) == 0 else { throw DurableFileError(errno, "create", url) }
      } catch {
        unlink(temporary.path)
        throw error
      }
      return lock
    }
    guard let lock else { throw .system(operation: "lock", path: url.path, errno: EWOULDBLOCK) }
    self.lock = lock
  }
}
