import Foundation
import Signals

/// An active share, which lives as long as its ``DatabaseShare``, a subscription, or a follower of its database.
final class ShareEngine: Sendable {
  let database: Database
  let recorder: ShareRecorder
  let feed: ShareFeed
  private let name: AuthorName?

  /// Creates and starts a share of a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - url: Its file.
  ///   - author: The name under which changes are shared.
  ///   - isUnique: A Boolean value that indicates whether no other process can have the name, so that it need not be
  ///     taken.
  ///   - remembersPosition: A Boolean value that determines whether the history is kept for the author in its absence.
  ///   - tables: The tables whose changes are shared and received, or `nil` for all tables.
  ///   - limits: The limits of the history.
  ///   - lockTimeout: The longest wait for a name that another share has.
  /// - Throws: ``DatabaseError``.
  init(
    _ database: Database, in url: URL, author: String, isUnique: Bool, remembersPosition: Bool, tables: Set<String>?,
    limits: ShareLimits, lockTimeout: Duration
  ) throws(DatabaseError) {
    self.database = database
    let name = isUnique ? nil : try AuthorName(author, of: url)
    self.name = name
    let bell = try ShareBell(beside: url)
    AuthorName.removeUnused(in: bell.directory)
    if database.sharing.recorder != nil { throw .alreadyShared(path: url.path) }
    try ShareTables.make(in: database)
    let tables = try tables.map { tables throws(DatabaseError) in try database.spelling(of: tables) }
    recorder = ShareRecorder(author: author, scope: tables, limits: limits, bell: bell)
    // Until then, no change is recorded under the name.
    try name?.take(within: lockTimeout)
    guard database.writer.setRecorder(recorder) else {
      name?.end()
      throw .alreadyShared(path: url.path)
    }
    do throws(DatabaseError) {
      feed = try ShareFeed(
        database, url: url, author: author, recorder: recorder, bell: bell, name: name,
        remembersPosition: remembersPosition)
    } catch {
      recorder.end()
      name?.end()
      throw error
    }
    database.sharing.attach(self)
  }

  deinit {
    recorder.end()
    feed.end(isWaiting: false)
    name?.end()
  }

  /// Ends the share and saves the position of the received changes.
  ///
  /// - Parameter isWaiting: A Boolean value that determines whether to wait until the position is saved.
  func end(isWaiting: Bool) {
    database.sharing.detach(self)
    recorder.end()
    feed.end(isWaiting: isWaiting)
    name?.end()
  }

  /// Releases the author's name, because the process may be suspended.
  func suspend() {
    name?.release()
  }

  /// Takes the author's name again.
  func resume() throws(DatabaseError) {
    if !recorder.isOver { try name?.take() }
  }

  /// Receives the changes that other processes have made.
  func wake() {
    feed.begin()
  }
}

/// The share of a database, if there is one.
///
/// Objects that follow the database keep it alive.
final class DatabaseSharing: Sendable {
  private struct State {
    weak var engine: ShareEngine?
    /// The same engine, while there is a follower.
    var kept: ShareEngine?
    /// The number of followers.
    ///
    /// Because of races between threads, it may briefly be negative.
    var followers = 0
    var isClosed = false
  }

  private let state = Guarded(State())

  /// The engine of the share, or `nil` if there is none.
  var engine: ShareEngine? { state.withLock { $0.engine } }

  /// The recorder of changes for other processes, or `nil` if there is none.
  var recorder: ShareRecorder? {
    guard let recorder = engine?.recorder, !recorder.isOver else { return nil }
    return recorder
  }

  func attach(_ engine: ShareEngine) {
    state.withLock { state in
      state.engine = engine
      if state.followers > 0 { state.kept = engine }
    }
  }

  /// Detaches a share that has ended.
  func detach(_ engine: ShareEngine) {
    state.replace { state -> ShareEngine? in
      guard state.engine === engine else { return nil }
      state.engine = nil
      return state.kept.take()
    }
  }

  /// Keeps the share alive until the matching call of ``removeFollower()``.
  func addFollower() {
    state.withLock { state in
      state.followers += 1
      if state.followers > 0, !state.isClosed { state.kept = state.engine }
    }
  }

  func removeFollower() {
    state.replace { state -> ShareEngine? in
      state.followers -= 1
      return state.followers > 0 ? nil : state.kept.take()
    }
  }

  /// Releases the share, because the database has been closed for good.
  func close() {
    state.replace { state in
      state.isClosed = true
      return state.kept.take()
    }
  }
}
