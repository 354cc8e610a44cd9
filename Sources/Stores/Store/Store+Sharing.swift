import FileSignals
import Foundation
import Signals

extension Store {
  /// An open database, and the share that connects it with other processes.
  struct Opened: Sendable {
    let database: Database
    let share: ShareEngine?
  }

  /// Shares a database with the other processes of the same user.
  ///
  /// The application does not choose an author's name, so one is generated, and no history is kept for it.
  ///
  /// - Returns: The share, or `nil` if the directory cannot be watched. The database then detects the writes of the
  ///   other processes in the same way as writes of other programs.
  static func share(_ database: Database) throws(DatabaseError) -> ShareEngine? {
    guard let url = database.file.location.url else { return nil }
    let author = "process \(ProcessInfo.processInfo.processIdentifier) \(UUID.random().uuidString.prefix(8))"
    do throws(DatabaseError) {
      return try ShareEngine(
        database, in: url, author: author, isUnique: true, remembersPosition: false, tables: nil,
        limits: ShareLimits(), lockTimeout: .zero)
    } catch {
      guard case .unobservable = error else { throw error }
      FailureRelay(of: "Store", url.path).report(error)
      return nil
    }
  }
}
