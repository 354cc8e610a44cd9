import FileSignals
import Foundation
import Signals

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
  private let url: URL
  private let file: Guarded<Descriptor?>

  init(beside database: URL) throws(DatabaseShareError) {
    directory = Self.directory(beside: database)
    url = directory.appending(path: Self.name, directoryHint: .notDirectory)
    do throws(FileObserverError) {
      file = Guarded(try Self.make(url, in: directory))
    } catch {
      throw .unobservable(error)
    }
  }

  /// Wakes those who share a database, if there are any, for a process that does not.
  static func ringIfThere(beside database: URL) {
    let path = directory(beside: database).appending(path: name, directoryHint: .notDirectory).path
    guard let file = Descriptor(uninterrupted { open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }),
      file.status?.kind == .regular
    else { return }
    ring(file.number)
  }

  private static func ring(_ number: CInt) {
    var mark: UInt8 = 0
    _ = uninterrupted { pwrite(number, &mark, 1, 0) }
  }

  /// The directory of what belongs to the share of a database.
  static func directory(beside database: URL) -> URL {
    URL(fileURLWithPath: database.path + "-share", isDirectory: true)
  }

  private static let name = "bell"

  /// The names of the files to follow.
  var names: Set<String> { [Self.name] }

  /// Makes the directory unless it is there.
  static func make(_ directory: URL) throws(FileObserverError) {
    guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
      throw FileObserverError(errno, "make", directory.path)
    }
  }

  private static func make(_ url: URL, in directory: URL) throws(FileObserverError) -> Descriptor {
    try make(directory)
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { open(url.path, flags, 0o600) }) else {
      throw FileObserverError(errno, "open", url.path)
    }
    return file
  }

  /// Wakes those who watch; should that fail, they look when it rings next.
  func ring() {
    file.withLock { file in
      if file?.status?.isLinked != true {
        // Somebody has cleared up. Those who watch notice that it is there again.
        do throws(FileObserverError) { file = try Self.make(url, in: directory) } catch { return }
      }
      if let number = file?.number { Self.ring(number) }
    }
  }

  /// Lets go of a file that has been moved away, so that the next ring is heard by those who watch what is there now.
  func renew() {
    file.withLock { $0 = nil }
  }
}
