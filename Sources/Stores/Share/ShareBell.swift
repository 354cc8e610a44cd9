import CLibrary
import FileSignals
import Foundation
import Signals

/// A file that is written after each commit, so that processes that watch it read the database.
///
/// It has a directory of its own. In the database's directory, every commit causes several events before its changes
/// can be read.
final class ShareBell: Sendable {
  let directory: URL
  private let url: URL
  private let file: Guarded<Descriptor?>

  init(beside database: URL) throws(DatabaseError) {
    directory = Self.directory(beside: database)
    url = directory.appending(path: Self.name, directoryHint: .notDirectory)
    file = Guarded(try translating(Self.make(url, in: directory), by: DatabaseError.unobservable))
  }

  /// Wakes the processes that share a database, if there are any, on behalf of one that does not.
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

  /// Returns the directory for the files of a database's share.
  static func directory(beside database: URL) -> URL {
    URL(fileURLWithPath: database.path + "-share", isDirectory: true)
  }

  private static let name = "bell"

  /// The names of the files to follow.
  var names: Set<String> { [Self.name] }

  /// Creates the directory, unless it exists.
  static func make(_ directory: URL) throws(FileObserverError) {
    guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
      throw FileObserverError(errno, "create", directory.path)
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

  /// Wakes the watching processes.
  ///
  /// If that fails, they are woken by the next call.
  func ring() {
    file.withLock { file in
      if file?.status?.isLinked != true {
        // The file has been removed. The watching processes detect that it exists again.
        do throws(FileObserverError) { file = try Self.make(url, in: directory) } catch { return }
      }
      if let number = file?.number { Self.ring(number) }
    }
  }

  /// Closes a file that has been moved away, so that the next call reaches processes that watch the new one.
  func renew() {
    file.withLock { $0 = nil }
  }
}
