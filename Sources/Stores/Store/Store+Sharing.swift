import FileSignals
import Foundation

extension Store {
  /// A database that is open, and what shares it with the other processes that have it open.
  struct Opened: Sendable {
    let database: Database
    let share: ShareEngine?
  }

  /// Shares a database with the other processes of the same user.
  ///
  /// Nobody chooses a name for the author, so it is made up, and the history is kept for none of them.
  ///
  /// - Returns: What shares it; `nil` if the directory cannot be watched. The database then notices what the others
  ///   write as it does that of other programs.
  static func share(_ database: Database) throws(DatabaseError) -> ShareEngine? {
    guard case .file(let url) = database.location else { return nil }
    let author = "process \(ProcessInfo.processInfo.processIdentifier) \(UUID.random().uuidString.prefix(8))"
    do throws(DatabaseShareError) {
      return try ShareEngine(
        database, in: url, author: author, isUnique: true, remembersPosition: false, tables: nil, limits: ShareLimits())
    } catch .database(let error) {
      throw error
    } catch {
      return nil
    }
  }
}
