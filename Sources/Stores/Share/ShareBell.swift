import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is written into after each commit, so that those who watch it look into the database.
///
/// It has a directory of its own: in the database's, every commit makes several events, before it can be seen.
final class ShareBell: Sendable {
  let directory: URL
  private let name = "bell"
  private let file: Descriptor

  init(beside database: URL) throws(DatabaseShareError) {
    directory = URL(fileURLWithPath: database.path + "-share", isDirectory: true)
    let url = directory.appending(path: name, directoryHint: .notDirectory)
    guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
      throw .unobservable(FileObserverError(errno, "make", directory.path))
    }
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { open(url.path, flags, 0o600) }) else {
      throw .unobservable(FileObserverError(errno, "open", url.path))
    }
    self.file = file
  }

  /// The names of the files to follow.
  var names: Set<String> { [name] }

  /// Wakes those who watch; should that fail, they look when it rings next.
  func ring() {
    var mark: UInt8 = 0
    _ = uninterrupted { pwrite(file.number, &mark, 1, 0) }
  }
}
