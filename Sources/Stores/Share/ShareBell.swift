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
final class ShareBell: @unchecked Sendable {
  // Sound: the file is only used in the database's turn to write, once it has been made.

  let directory: URL
  private let url: URL
  private var file: Descriptor

  init(beside database: URL) throws(DatabaseShareError) {
    directory = URL(fileURLWithPath: database.path + "-share", isDirectory: true)
    url = directory.appending(path: Self.name, directoryHint: .notDirectory)
    do throws(FileObserverError) {
      file = try Self.make(url, in: directory)
    } catch {
      throw .unobservable(error)
    }
  }

  private static let name = "bell"

  /// The names of the files to follow.
  var names: Set<String> { [Self.name] }

  private static func make(_ url: URL, in directory: URL) throws(FileObserverError) -> Descriptor {
    guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
      throw FileObserverError(errno, "make", directory.path)
    }
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { open(url.path, flags, 0o600) }) else {
      throw FileObserverError(errno, "open", url.path)
    }
    return file
  }

  /// Wakes those who watch; should that fail, they look when it rings next.
  func ring() {
    if file.status?.isLinked != true {
      // Somebody has cleared up. Those who watch notice that it is there again.
      do throws(FileObserverError) { file = try Self.make(url, in: directory) } catch { return }
    }
    var mark: UInt8 = 0
    _ = uninterrupted { pwrite(file.number, &mark, 1, 0) }
  }
}
