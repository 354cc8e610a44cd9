import Foundation
import Signals

/// A share that is under way, for as long as its ``DatabaseShare``, a subscription or a follower of its database lives.
final class ShareEngine: Sendable {
  let author: String
  let database: Database
  let recorder: ShareRecorder
  let feed: ShareFeed
  private let name: AuthorName?

  /// Shares a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - url: Its file.
  ///   - author: The name under which changes are told.
  ///   - isUnique: Whether no other process can have the name, so that it need not be taken.
  ///   - remembersPosition: Whether the history is kept for the author when it is away.
  ///   - tables: The tables whose changes are told and taken in; `nil` for all.
  ///   - limits: How long changes are remembered.
  /// - Throws: ``DatabaseShareError``.
  init(
    _ database: Database, in url: URL, author: String, isUnique: Bool, remembersPosition: Bool, tables: Set<String>?,
    limits: ShareLimits
  ) throws(DatabaseShareError) {
    self.author = author
    self.database = database
    let name = isUnique ? nil : try AuthorName(author, of: url, isTransient: !remembersPosition)
    self.name = name
    let bell = try ShareBell(beside: url)
    do {
      try ShareTables.make(in: database)
      let tables = try tables.map { tables throws(DatabaseError) in try database.spelling(of: tables) }
      recorder = ShareRecorder(author: author, scope: tables, limits: limits, bell: bell)
    } catch {
      throw DatabaseShareError(error)
    }
    guard database.writer.setRecorder(recorder) else { throw .alreadyShared(url) }
    do {
      try name?.take()
      feed = try ShareFeed(
        database, url: url, author: author, recorder: recorder, bell: bell, name: name,
        remembersPosition: remembersPosition)
    } catch {
      recorder.end()
      name?.end()
      throw DatabaseShareError(error)
    }
    database.sharing.attach(self)
  }

  deinit {
    recorder.end()
    feed.end(isWaiting: false)
    name?.end()
  }

  /// Ends, and notes what has been taken in.
  ///
  /// - Parameter isWaiting: Whether to wait for that.
  func end(isWaiting: Bool) {
    database.sharing.detach(self)
    recorder.end()
    feed.end(isWaiting: isWaiting)
    name?.end()
  }

  /// Gives the author's name up, because the process may be suspended.
  func suspend() {
    name?.release()
  }

  /// Takes the author's name again.
  func resume() throws(DatabaseError) {
    if !recorder.isOver { try name?.take() }
  }

  /// Takes in at once what has come meanwhile.
  func wake() {
    feed.begin()
  }
}
