import Dispatch
import Foundation
import Signals
import TestSupport

/// Random operations as fast as possible, each noted with its answer; see `Tests/Histories`.
///
/// - `history KIND DIR WORKER LIFE SEED THREADS COUNT`: open a place of a kind in DIR, for COUNT operations on each of
///   so many threads; this is the process of a worker in one of its lives
/// - `history-prepare`: write what there is before all others begin
/// - `history-begin`: perform the operations; reports `done` at the end, and `problem …` if one throws
/// - `history-read`: note the values on disk
/// - `history-settle`: wait until the values in memory are those on disk, and note them
final class HistoryCommands: CommandFamily {
  private let console: Console
  private var place: (any HistoryPlace)?
  private var threads: [HistoryThread] = []
  private var life: HistoryLife?

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "history":
      let arguments = try command.arguments(7)
      let numbers = try arguments.dropFirst(2).map(command.number)
      let directory = URL(filePath: arguments[1], directoryHint: .isDirectory)
      let life = HistoryLife(
        directory: directory, worker: numbers[0], life: numbers[1], seed: numbers[2], count: numbers[4],
        report: { [console] in console.report($0) })
      threads = try (0..<numbers[3]).map { try life.thread($0) }
      self.life = life
      place = try Self.place(arguments[0], life)
    case "history-prepare": try opened().place.prepare()
    case "history-begin": try begin()
    case "history-read": try opened().place.readAll(opened().life.thread(98))
    case "history-settle":
      let (place, life) = try opened()
      let thread = try life.thread(97)
      try wait { try await place.settle(thread) }
    default: return nil
    }
    return ""
  }

  private static func place(_ kind: String, _ life: HistoryLife) throws -> any HistoryPlace {
    switch kind {
    case "file": try FileHistory(life)
    case "suite": try SuiteHistory(life)
    case "suite-editors": try EditedSuiteHistory(life)
    case "log": try LogHistory(life)
    case "database": try DatabaseHistory(life)
    case "environments", "environments-suite": try EnvironmentHistory(life, isSuite: kind == "environments-suite")
    case "session": try SessionHistory(life)
    case "queue", "queue-stops": try QueueHistory(life, losesStopped: kind == "queue-stops")
    default: throw CommandError(description: "there is no kind \(kind)")
    }
  }

  private func begin() throws {
    let (place, life) = try opened()
    let (console, ending) = (console, DispatchGroup())
    for thread in threads {
      ending.enter()
      Thread {
        for _ in 0..<life.count {
          do { try place.step(thread) } catch { console.report("problem \(error)") }
        }
        ending.leave()
      }.start()
    }
    ending.notify(queue: .global()) { console.report("done") }
  }

  private func opened() throws -> (place: any HistoryPlace, life: HistoryLife) {
    guard let place, let life else { throw CommandError(description: "no history has begun") }
    return (place, life)
  }
}

/// The place of a history: one file, suite, log, database, container, session or queue.
protocol HistoryPlace: AnyObject, Sendable {
  /// Writes what there is before all others begin.
  func prepare() throws
  /// Performs one random operation.
  func step(_ thread: HistoryThread) throws
  /// Notes the values on disk.
  func readAll(_ thread: HistoryThread) throws
  /// Waits until the values in memory are those on disk, and notes them.
  func settle(_ thread: HistoryThread) async throws
}

extension HistoryPlace {
  func prepare() throws {}
}

/// One process of a history.
struct HistoryLife: Sendable {
  let directory: URL
  /// The number of the worker, which is 9 for the one that reads what is left.
  let worker: Int
  let life: Int
  let seed: Int
  let count: Int
  let report: @Sendable (String) -> Void

  /// A Boolean value that indicates whether this process reads what is left.
  var isReader: Bool { worker == 9 }

  /// Returns a thread of this process, with a file for its notes, by default for those of `count` operations.
  func thread(_ number: Int, capacity: Int? = nil) throws -> HistoryThread {
    let path = directory.appending(path: "notes/\(worker).\(life).\(number)").path
    return HistoryThread(
      chance: Chance(seed: UInt64(seed * 100 + number)), first: ((worker * 1000 + life) * 100 + number) * 1_000_000,
      notes: try HistoryNotes(path: path, capacity: capacity ?? count * 5 + 10_000))
  }
}

/// A thread of a history: its random numbers, its notes, and its values, which no other thread writes.
final class HistoryThread: @unchecked Sendable {  // Sound: used by one thread at a time.
  var chance: Chance
  let notes: HistoryNotes
  private var last: Int

  init(chance: Chance, first: Int, notes: HistoryNotes) {
    self.chance = chance
    self.notes = notes
    last = first
  }

  /// Returns a value that no thread has written.
  func fresh() -> Int {
    last += 1
    return last
  }

  /// Performs and notes a call with the result of a closure.
  func note(_ kind: NoteKind, _ key: Int, _ argument: Int, _ body: () throws -> Int) throws {
    let number = notes.call(kind, key, argument)
    notes.fill(number, try body())
    notes.answer(number)
  }
}
