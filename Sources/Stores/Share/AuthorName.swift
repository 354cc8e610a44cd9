import CLibrary
import FileSignals
import Foundation
import Signals

/// The name of an author, which only one share at a time can have, across all processes.
///
/// The name is represented by a locked file, so the name of a killed process is free at once. The file is removed when
/// the name is released. A process that is killed, or ends without closing its share, leaves it; see
/// ``removeUnused(in:)``.
final class AuthorName: Sendable {
  let name: String
  private let database: String
  private let url: URL
  private let state = Guarded(State())

  private struct State: ~Copyable {
    var lock: FileLock?
    var isOver = false
  }

  /// Creates a name, without taking it.
  ///
  /// - Throws: ``DatabaseError/invalidAuthor(_:reason:)``.
  init(_ name: String, of database: URL) throws(DatabaseError) {
    guard !name.isEmpty else { throw .invalidAuthor(name, reason: "it is empty") }
    self.name = name
    self.database = database.path
    let file = EncodedName.encoded(name, limit: 150) + Self.suffix
    url = ShareBell.directory(beside: database).appending(path: file, directoryHint: .notDirectory)
  }

  private static let suffix = ".author"
  private static let waiting = Backoff.exponential(from: .milliseconds(1), upTo: .milliseconds(20))

  /// Takes the name, unless this object already has it.
  ///
  /// After a switch, takes it in the new directory.
  ///
  /// - Parameter limit: The longest wait for another share that has the name.
  /// - Throws: ``DatabaseError/authorInUse(_:path:after:holder:)``, or ``DatabaseError/cannotOpen(_:)`` if a system call
  ///   fails.
  func take(within limit: Duration = .zero) throws(DatabaseError) {
    let isTaken = try Self.waiting.repeating(within: limit) { () throws(DatabaseError) -> Bool? in
      try attempt() ? true : nil
    }
    if isTaken == true { return }
    let holder = FileLock(url.path, .reading, of: url)?.holder
    throw .authorInUse(name, path: database, after: limit, holder: holder)
  }

  /// Takes the name if it is free.
  private func attempt() throws(DatabaseError) -> Bool {
    let directory = url.deletingLastPathComponent()
    let result: Result<Bool, DatabaseError> = state.withLock { state in
      if state.isOver { return .success(true) }
      do {
        if try state.lock?.isFile(at: url.path) == true { return .success(true) }
        state.lock = nil
        try ShareBell.make(directory)
        state.lock = try FileLock.acquired(at: url, owner: .ifReadable(path: directory.path))
        return .success(state.lock != nil)
      } catch {
        return .failure(.unopenable(url.path, because: "\(error)"))
      }
    }
    return try result.get()
  }

  /// Releases the name until it is taken again.
  func release() {
    state.withLock { state in
      // After a switch, the path may lead to the file of another share.
      // A file that stays is removed when the share is opened again.
      tolerating { if try state.lock?.isFile(at: url.path) == true { unlink(url.path) } }
      state.lock = nil
    }
  }

  /// Removes the files of shares that have ended without removing them.
  ///
  /// A share that is about to take the name of such a file finds that the path no longer leads to the file it has
  /// locked, and starts again. A file that cannot be removed is harmless.
  static func removeUnused(in directory: URL) {
    let url = { (name: String) in directory.appending(path: name, directoryHint: .notDirectory) }
    FileLock.removeUnheld(in: directory) { name throws(DurableFileError) in
      // The file is opened for reading only, so that no process is woken.
      name.hasSuffix(suffix) ? try FileLock.acquired(at: url(name), .reading) : nil
    } remove: { name in
      unlink(url(name).path)
    }
  }

  /// Releases the name for good.
  func end() {
    release()
    state.withLock { $0.isOver = true }
  }
}
