import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file of an announcement, which this process holds open and locked.
///
/// The kernel does what a process that is killed cannot: it closes the file, which those who watch the directory hear
/// of, and releases the lock, by which they tell that nobody is there.
final class PresenceFile: Sendable {
  private let url: URL

  /// Open for writing, because only the end of writing is an event, and not inherited by programs that are started.
  private let descriptor: Descriptor

  /// Puts a file with this content in place, in the place of one of our own if there is one.
  ///
  /// It is complete and locked before anybody can find it. Nothing here waits for another process.
  init(_ data: Data, at url: URL, temporariesIn folder: URL) throws(DurableFileError) {
    self.url = url
    for _ in 0..<1000 {
      let temporary = folder.appending(path: "\(UUID.random().uuidString).tmp", directoryHint: .notDirectory)
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      guard let file = Descriptor(uninterrupted { open(temporary.path, flags, 0o600) }) else {
        throw DurableFileError(errno, "create a temporary file for", url)
      }
      inheritOwner(file.number, from: FileStatus(path: folder.path))
      // Somebody who clears up may have the lock, or may have taken it for litter before we had.
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0, file.status?.isLinked == true else {
        unlink(temporary.path)
        continue
      }
      do throws(DurableFileError) {
        guard data.withUnsafeBytes({ writeAll($0, to: file.number) }) == data.count else {
          throw DurableFileError(errno, "write", url)
        }
        guard rename(temporary.path, url.path) == 0 else { throw DurableFileError(errno, "create", url) }
      } catch {
        unlink(temporary.path)
        throw error
      }
      descriptor = file
      return
    }
    throw .system(operation: "lock", path: url.path, errno: EWOULDBLOCK)
  }

  /// Takes the file away; the lock goes with the last reference to this object.
  func remove() {
    unlink(url.path)
  }
}
