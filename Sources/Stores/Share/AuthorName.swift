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

/// The name of an author, which only one share at a time can have, across all processes.
///
/// The name is represented by a locked file, so the name of a killed process is free at once.
final class AuthorName: Sendable {
  let name: String
  private let database: String
  private let url: URL
  /// A Boolean value that indicates whether the name's file is removed at the end.
  private let isTransient: Bool
  private let state = Guarded(State())

  private struct State: ~Copyable {
    var lock: FileLock?
    var isOver = false
  }

  /// Creates a name, without taking it.
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

  /// Takes the name, unless this object already has it.
  ///
  /// After a swap, takes it in the new directory.
  ///
  /// - Throws: ``DatabaseError/authorInUse(_:path:)``, or ``DatabaseError/cannotOpen(_:)`` if a system call fails.
  func take() throws(DatabaseError) {
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
    guard try result.get() else { throw .authorInUse(name, path: database) }
  }

  /// Releases the name until it is taken again.
  func release() {
    state.withLock { state in
      if state.lock != nil, isTransient { unlink(url.path) }
      state.lock = nil
    }
  }

  /// Releases the name for good.
  func end() {
    release()
    state.withLock { $0.isOver = true }
  }
}
