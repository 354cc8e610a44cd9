import AppGroups
import Foundation
import Signals
import Stores
import TestSupport

/// The history of a database: transactions on lists, and the changes that the others announce.
///
/// Each transaction that writes adds a row with the next number, so that the rows have the order of the commits.
final class DatabaseHistory: HistoryPlace {
  private static let lists = 16
  private static let tables = """
    CREATE TABLE IF NOT EXISTS turn (n INTEGER PRIMARY KEY, worker INTEGER);
    CREATE TABLE IF NOT EXISTS element (id INTEGER PRIMARY KEY, list INTEGER, value INTEGER);
    CREATE INDEX IF NOT EXISTS elements ON element (list);
    """

  private let worker: Int
  private let database: Database
  private let subscriptions: [SignalSubscription]

  init(_ life: HistoryLife) throws {
    worker = life.worker
    let directory = life.directory.appending(path: "place")
    let container = try AppGroupsContainer(directory: directory)
    database = try Database(.file(directory.appending(path: "lists.sqlite")), busyTimeout: .seconds(60))
    try database.write { try $0.execute(script: Self.tables) }
    guard !life.isReader else {
      subscriptions = []
      return
    }
    let share = try DatabaseShare(database, container: container, author: "\(worker)", tables: ["turn"])
    let received = try life.thread(99, capacity: 1_000_000).notes
    subscriptions = [
      share.failures.sink { life.report("problem \($0)") },
      share.incoming.sink { changes in
        let turn = changes["turn"].inserted.first?.int64Value ?? 0
        received.saw(.change, Int(changes.sequence), Int(turn), Int(changes.author ?? "") ?? 0)
      },
    ]
  }

  func step(_ thread: HistoryThread) throws {
    let isRead = thread.chance.once(in: 3)
    try thread.transaction(lists: Self.lists, appends: !isRead) { steps in
      if isRead { return try database.read { try look(at: steps, $0) } }
      return try database.write { transaction in
        try look(at: steps, transaction)
        for step in steps where step.value != 0 {
          try transaction.execute("INSERT INTO element (list, value) VALUES (?, ?)", step.list, step.value)
        }
        let turn = try transaction.number("SELECT coalesce(max(n), 0) + 1 FROM turn")
        try transaction.execute("INSERT INTO turn (n, worker) VALUES (?, ?)", turn, worker)
        return turn
      }
    }
  }

  @discardableResult
  private func look(at steps: [HistoryStep], _ transaction: ReadTransaction) throws -> Int {
    for step in steps {
      let (list, table) = (step.list, "FROM element WHERE list = ?")
      step.note(
        last: try transaction.number("SELECT value \(table) ORDER BY id DESC LIMIT 1", list),
        count: try transaction.number("SELECT count(*) \(table)", list),
        sum: try transaction.number("SELECT sum(value) \(table)", list))
    }
    return 0
  }

  func readAll(_ thread: HistoryThread) throws {
    try database.read { transaction in
      for row in try transaction.rows("SELECT list, value FROM element ORDER BY list, id") {
        thread.notes.saw(.element, Int(row[0].int64Value ?? 0), Int(row[1].int64Value ?? 0))
      }
      for row in try transaction.rows("SELECT n, worker FROM turn ORDER BY n") {
        thread.notes.saw(.turn, Int(row[0].int64Value ?? 0), Int(row[1].int64Value ?? 0))
      }
    }
  }

  func settle(_ thread: HistoryThread) async throws {}
}

extension ReadTransaction {
  /// The number that a query returns, or 0.
  fileprivate func number(_ sql: String, _ argument: Int? = nil) throws -> Int {
    try Int(value(sql, arguments: argument.map { [.integer(Int64($0))] } ?? []).int64Value ?? 0)
  }
}
