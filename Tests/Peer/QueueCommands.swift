import Foundation
import Signals
import Stores

/// Workers of a queue of numbers.
///
/// - `queue PATH LIMIT`: open the queue of a database whose claims last for LIMIT milliseconds in a stopped process; 0
///   for no limit
/// - `queue-add COUNT`: add jobs with the numbers from 1 on, in transactions of 100
/// - `queue-claim COUNT`: claim jobs, and return their numbers and attempts
/// - `queue-finish`: finish the claimed jobs in the same way as `queue-work`, each in its own transaction
/// - `queue-work WIDTH`: work on jobs from now on; each writes its number into the table `effect`
/// - `queue-report`: report each claim as `claimed NUMBER ATTEMPT`, from the next `queue-work` on
/// - `queue-stop`: stop working
final class QueueCommands: CommandFamily {
  private let console: Console
  private var database: Database?
  private var queue: WorkQueue<Int>?
  private var claimed: [ClaimedJob<Int>] = []
  private var work: Task<Void, Never>?
  private var reports = false

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "queue":
      let arguments = try command.arguments(2)
      let limit = try command.number(arguments[1])
      let database = try Database(.file(URL(filePath: arguments[0])), busyTimeout: .seconds(60))
      try database.write {
        try $0.execute(script: "CREATE TABLE IF NOT EXISTS effect (id INTEGER PRIMARY KEY, job INTEGER NOT NULL)")
      }
      self.database = database
      queue = WorkQueue("jobs", in: database, claimLimit: limit > 0 ? .milliseconds(limit) : nil)
    case "queue-add":
      let (queue, database) = try opened()
      let count = try command.number(command.argument())
      for first in stride(from: 1, through: count, by: 100) {
        try database.write { transaction in
          for number in first...min(count, first + 99) { try queue.add(number, in: transaction) }
        }
      }
    case "queue-claim":
      let claims = try opened().0.claim(upTo: command.number(command.argument()))
      claimed += claims
      return claims.map { "\($0.value):\($0.attempt)" }.joined(separator: " ")
    case "queue-finish":
      for job in claimed { try job.finish { try Self.record(job, $0) } }
      claimed = []
    case "queue-report": reports = true
    case "queue-work":
      let (queue, _) = try opened()
      let width = try command.number(command.argument())
      work = Self.work(on: queue, width, reporting: reports ? console : nil, console)
    case "queue-stop":
      work?.cancel()
    default: return nil
    }
    return ""
  }

  private static func work(
    on queue: WorkQueue<Int>, _ width: Int, reporting reports: Console?, _ console: Console
  ) -> Task<Void, Never> {
    Task {
      do {
        try await queue.work(upTo: width) { job in
          reports?.report("claimed \(job.value) \(job.attempt)")
          try await job.finish { try record(job, $0) }
        }
      } catch {
        console.report("stopped \(error)")
      }
    }
  }

  private static func record(_ job: ClaimedJob<Int>, _ transaction: WriteTransaction) throws {
    try transaction.execute("INSERT INTO effect (job) VALUES (?)", job.value)
  }

  private func opened() throws -> (WorkQueue<Int>, Database) {
    guard let queue, let database else { throw CommandError(description: "no queue is open") }
    return (queue, database)
  }
}
