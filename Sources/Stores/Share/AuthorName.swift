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

/// The name of an author, which one share at a time has, in whatever process.
///
/// A locked file stands for it, so the name of a process that is killed is free at once.
final class AuthorName: Sendable {
  let name: String
  private let database: String
  private let url: URL
  /// Whether nothing of the name is to stay behind.
  private let isTransient: Bool
  private let state = Guarded(State())

  private struct State: ~Copyable {
    var lock: FileLock?
    var isOver = false
  }

  /// Makes a name that is not taken yet.
  ///
  /// - Throws: ``DatabaseShareError/invalidAuthor(_:reason:)``.
  init(_ name: String, of database: URL, isTransient: Bool) throws(DatabaseShareError) {
    guard !name.isEmpty else { throw .invalidAuthor(name, reason: "it is empty") }
    self.name = name
    self.database = database.path
    self.isTransient = isTransient
    let file = "\(EncodedName.encoded(name, limit: 150)).author"
    url = ShareBell.directory(beside: database).appending(path: file, directoryHint: .notDirectory)
  }

  /// Takes the name, unless this object has it already; also the one in the directory that has come in the place of the
  /// first.
  ///
  /// - Throws: ``DatabaseError/authorInUse(_:path:)``, or ``DatabaseError/cannotOpen(_:)`` if the system refuses.
  func take() throws(DatabaseError) {
    let directory = url.deletingLastPathComponent()
    let result: Result<Bool, DatabaseError> = state.withLock { state in
      if state.isOver || state.lock?.isFile(at: url.path) == true { return .success(true) }
      state.lock = nil
      do {
        try ShareBell.make(directory)
        state.lock = try FileLock.acquired(at: url, owner: FileStatus(path: directory.path))
        return .success(state.lock != nil)
      } catch {
        return .failure(.unopenable(url.path, because: "\(error)"))
      }
    }
    guard try result.get() else { throw .authorInUse(name, path: database) }
  }

  /// Gives the name up, until it is taken again.
  func release() {
    state.withLock { state in
      if state.lock != nil, isTransient { unlink(url.path) }
      state.lock = nil
    }
  }

  /// Gives the name up for good.
  func end() {
    release()
    state.withLock { $0.isOver = true }
  }
}
