public import AppGroups
import FileSignals
public import Foundation
import Signals
import Stores
import TestSupport

/// A row that one process counts up.
struct TallyRow: StoreModel, Equatable {
  static let table = TableSpec("tally")
  /// The name of the process.
  var id: String
  /// The number of writes.
  var count: Int
}

/// All kinds of values that one process can open in a container, with the numbers of its own writes.
public final class SharedGroup: Sendable {
  /// The container.
  public let container: AppGroupsContainer
  private let name: String
  private let file: AppGroupsFile<[String: Int]>
  private let mark: SuiteValue<Int>
  private let suite: AppGroupsSuite
  private let log: AppGroupsLog<String>
  private let events: LogEvents<String>
  private let presence: AppGroupsPresence<String>
  private let token: PresenceToken<String>
  private let database: Database
  private let share: DatabaseShare
  private let rows: Property<[TallyRow]>
  private let received = MutableProperty<[LogEventID: Int]>([:])
  private let problems = Guarded<[String]>([])
  private let tally = Guarded(Tally())
  private let subscriptions = Guarded<Set<SignalSubscription>>([])
  private let isOver = MutableProperty(false)

  /// The numbers of writes of one process, or of all.
  public struct Tally: Codable, Sendable, Equatable {
    /// The updates of the file, changes of the suite, events, and transactions.
    public var file = 0, suite = 0, events = 0, rows = 0
    /// The writes that were refused because the process is suspended.
    public var refused = 0
    /// The processes that kept a lock for too long.
    public var holders: [Int32] = []

    /// Creates zeros.
    public init() {}

    /// The number of successful writes.
    public var total: Int { file + suite + events + rows }
  }

  /// Opens everything in a container, as a process of a given name.
  public init(directory: URL, name: String, lockTimeout: Duration?) throws {
    container = try AppGroupsContainer(directory: directory)
    container.lockTimeout = lockTimeout
    self.name = name
    file = try AppGroupsFile(name: "tally.json", initialValue: [:], container: container)
    suite = try AppGroupsSuite(name: "suite.json", container: container)
    mark = suite.preference(name, default: 0)
    log = try AppGroupsLog(name: "events", container: container)
    events = try log.events(for: name)
    presence = try AppGroupsPresence(name: "here", container: container)
    token = try presence.announce(name)
    let url = directory.appending(path: "tally.sqlite", directoryHint: .notDirectory)
    database = try Database(
      .file(url), schema: Schema(version: 1, models: [TallyRow.self]), busyTimeout: lockTimeout ?? .seconds(30))
    share = try DatabaseShare(database, container: container, author: name)
    rows = database.query(TallyRow.ordered { $0.id }).property(initial: [])
    // A process that is killed has handled what its diary contains. Its successor begins with that.
    let diary = try EventDiary(directory.appending(path: "diary-\(name)", directoryHint: .notDirectory))
    for id in diary.handled { received.modify { $0[id, default: 0] += 1 } }
    let receiving = events.sink { [received] entry in
      diary.note(entry.id)
      received.modify { $0[entry.id, default: 0] += 1 }
    }
    let failing = events.failures.sink { [weak self] in self?.note("the log: \($0)") }
    let observing = rows.sink { _ in }
    subscriptions.withLock { $0 = [receiving, failing, observing] }
  }

  private func note(_ problem: String) { problems.withLock { $0.append(problem) } }

  // MARK: Writing

  /// Writes at random until ``stop()``.
  public func work(seed: UInt64) {
    var chance = Chance(seed: seed)
    while !isOver.value { step(&chance) }
  }

  /// Writes at random a number of times.
  public func work(seed: UInt64, times: Int) {
    var chance = Chance(seed: seed)
    for _ in 0..<times { step(&chance) }
  }

  private func step(_ chance: inout Chance) {
    do {
      switch chance.number(below: 4) {
      case 0:
        try file.update { $0[name, default: 0] += 1 }
        tally.withLock { $0.file += 1 }
      case 1:
        try mark.update { $0 += 1 }
        tally.withLock { $0.suite += 1 }
      case 2:
        try log.append(name)
        tally.withLock { $0.events += 1 }
      default:
        try database.write { [name] transaction in
          let count = try transaction.find(TallyRow.self, id: name)?.count ?? 0
          try transaction.put(TallyRow(id: name, count: count + 1))
        }
        tally.withLock { $0.rows += 1 }
      }
    } catch AppGroupsFileError.suspended, AppGroupsLogError.suspended, DatabaseError.suspended {
      tally.withLock { $0.refused += 1 }
      // The thread leaves the processor to the process that resumes.
      usleep(500)
    } catch AppGroupsFileError.inaccessible(.lockTimeout(_, _, let holder)) {
      tally.withLock { $0.holders.append(holder?.processIdentifier ?? 0) }
    } catch DatabaseError.busy(let failure) {
      tally.withLock { $0.holders.append(failure.holder?.processIdentifier ?? 0) }
    } catch {
      note("\(error)")
    }
  }

  /// Ends ``work(seed:)``.
  public func stop() { isOver.value = true }

  // MARK: Results

  /// The numbers of this process, as JSON.
  public func report() throws -> String {
    String(decoding: try JSONEncoder().encode(tally.withLock { $0 }), as: UTF8.self)
  }

  /// The names of the announced processes, with an asterisk after the suspended ones.
  public var present: String {
    presence.value.map { $0.value + ($0.isSuspended ? "*" : "") }.sorted().joined(separator: ",")
  }

  /// Waits until the announced processes are as given.
  public func wait(forPresent names: String) async throws {
    try await presence.firstValue("the processes \(names)") { _ in self.present == names }
  }

  /// Waits until the observers, the consumer and the live query of this process have everything.
  ///
  /// - Returns: The problems, and the number of events that were received more than once.
  public func converge(to all: Tally) async throws -> String {
    try await file.firstValue("\(all.file) updates") { $0.values.reduce(0, +) == all.file }
    try await suite.property.firstValue("\(all.suite) changes of the suite") { contents in
      contents.keys.reduce(0) { $0 + ((try? contents.value(for: SuiteKey($1, default: 0))) ?? 0) } == all.suite
    }
    try await received.firstValue("\(all.events) events") { $0.count == all.events }
    try await rows.firstValue("\(all.rows) transactions") { $0.reduce(0) { $0 + $1.count } == all.rows }
    let again = received.value.values.filter { $0 > 1 }.count
    return "\(again) \(problems.withLock { $0.joined(separator: "; ") })"
  }
}
