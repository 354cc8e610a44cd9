import AppGroups
public import Containers
import Contexts
public import Foundation
import Signals
import Stores
import TestSupport
import Tweaks

/// All kinds of values that one process can open in the scope of a root, with a check of each value it receives.
///
/// All values name the environment in which they were written. At every moment, subscribers must see the same name in
/// all of them.
public final class ScopedWorld: Sendable {
  /// The environments.
  public let app: AppContainer
  let file: AppGroupsFile<Mark>
  let mark: SuiteValue<Mark>
  let beat: SuiteValue<Int>
  let log: AppGroupsLog<String>
  let flags: TweakManager
  let database: Database
  let context: StandardAppContext<Resident>
  let server = ResidentServer()
  private let row: LiveObject<MarkRow>
  private let events: LogEvents<String>
  private let received = MutableProperty(0)

  let report = Guarded(Report())
  private let subscriptions = Guarded<Set<SignalSubscription>>([])
  let isOver = MutableProperty(false)

  private static let flag = TweakKey("general", "environment", default: "none")

  /// A report of observations and writes.
  struct Report: Sendable {
    var moments = 0
    /// The environments that events named, by the switch count of their entries.
    var eventEnvironments: [Int: String] = [:]
    /// The events that were received, by the environments that they name.
    var events: [String: Set<LogEventID>] = [:]
    /// The number of times that a user's rows did not exist yet.
    var missing = 0
    var writes = 0
    var violations: [String] = []
  }

  /// Opens everything in the scope of a root.
  public init(home: URL) async throws {
    let app = try AppContainer(home: home)
    let scope = app.scope
    self.app = app
    file = try AppGroupsFile(name: "mark.json", initialValue: Mark(), scope: scope)
    mark = try AppGroupsSuite(name: "suite.json", scope: scope).preference("mark", default: Mark())
    let suite = try AppGroupsSuite(name: "flags.json", scope: scope)
    beat = suite.preference("beat", default: 0)
    flags = TweakManager(providers: [SuiteTweakProvider(suite: suite)])
    log = try AppGroupsLog(name: "events", scope: scope)
    events = try log.events(for: "process \(getpid())")
    let url = app.home.appending(path: "marks.sqlite", directoryHint: .notDirectory)
    database = try Database(
      .file(url), schema: Schema(version: 1, models: [MarkRow.self]), busyTimeout: .seconds(60), scope: scope)
    row = try database.live(MarkRow.self, id: 1)
    let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [MarkRow.self])
    context = try StandardAppContext(scope: scope, storeVersions: versions)
    try await context.setup(authDelegate: server)
  }

  /// Writes the first values of an environment, which is active.
  public func fill(_ id: UUID) async throws {
    let name = id.uuidString
    let rows = [1, 2].map { MarkRow(id: $0, environment: name) }
    try await file.write(Mark(environment: name))
    try await mark.write(Mark(environment: name))
    _ = try await onThread { [flags] in
      try flags.set(.string(name), feature: "general", variable: "environment")
    }
    try await database.write { try $0.put(rows) }
    try await context.startAppContext(with: Resident(id: "resident \(name.prefix(4))", environment: name))
    try await context.current.value.store.persistence.write { try $0.put(rows) }
  }

  // MARK: Subscribers

  /// The environments that all values name at one moment, by the names of the values.
  private struct Moment: Equatable, Sendable {
    var active: String
    var marks: [String: String] = [:]
    /// The number of values that have changed without naming another environment.
    var count = 0
  }

  private func moments() -> [(name: String, moment: Property<Moment>)] {
    let rows = database.query(MarkRow.ordered { $0.id }).property(initial: [])
    let theirs = context.query(MarkRow.ordered { $0.id }).property(initial: [])
    let active = Property.derived(app.active) { Moment(active: $0.id.uuidString) }
    var all = active
    var single: [(String, Property<Moment>)] = []
    func add<Value: Sendable>(
      _ name: String, _ property: Property<Value>, _ names: @escaping @Sendable (Value) -> (String, Int)
    ) {
      let note = { @Sendable (moment: Moment, value: Value) -> Moment in
        var moment = moment
        let (text, count) = names(value)
        moment.marks[name] = text
        moment.count += count
        return moment
      }
      single.append((name, .derived(active, property, note)))
      all = .derived(all, property, note)
    }
    add("file", file.property) { ($0.environment, $0.count) }
    add("suite", mark.property) { ($0.environment, $0.count) }
    add("flag", flags.property(for: Self.flag)) { ($0, 0) }
    add("row", row.property) { ($0?.environment ?? "no row", $0?.count ?? 0) }
    add("rows", rows) { (Self.environment(of: $0), $0.reduce(0) { $0 + $1.count }) }
    add("user", context.user) { ($0?.environment ?? "nobody", $0?.token ?? 0) }
    add("user's rows", theirs) { ($0.isEmpty ? "" : Self.environment(of: $0), $0.reduce(0) { $0 + $1.count }) }
    return single + [("all", all)]
  }

  /// The environment that rows name: all of them must name the same.
  static func environment(of rows: [MarkRow]) -> String {
    rows.count == 2 ? Set(rows.map(\.environment)).sorted().joined(separator: " and ") : "\(rows.count) rows"
  }

  /// Subscribes to each value separately, and to all together.
  public func subscribe() {
    subscribeToEvents()
    for (name, moments) in moments() {
      let subscription = moments.sink { [weak self] moment in
        self?.report.withLock { report in
          report.moments += 1
          for (source, mark) in moment.marks.sorted(by: { $0.key < $1.key }) where mark != moment.active {
            if mark.isEmpty {
              report.missing += 1
            } else {
              report.violations.append("\(name) has \(mark) in \(source), and \(moment.active) is active")
            }
          }
        }
      }
      subscriptions.withLock { _ = $0.insert(subscription) }
    }
  }

  /// Checks that all events between two switches name one environment.
  private func subscribeToEvents() {
    let subscription = events.sink { [weak self] entry in
      self?.report.withLock { report in
        let environment = report.eventEnvironments[entry.switchCount, default: entry.event]
        report.eventEnvironments[entry.switchCount] = environment
        if environment != entry.event {
          report.violations.append(
            "an event of \(entry.event) came after switch \(entry.switchCount) to \(environment)")
        }
        report.events[entry.event, default: []].insert(entry.id)
      }
      self?.received.modify { $0 += 1 }
    }
    subscriptions.withLock { _ = $0.insert(subscription) }
  }

  // MARK: Results

  /// Returns the report in one line: the numbers of moments, missing rows and writes, and the violations.
  public func summary() -> String {
    report.withLock { report in
      let kinds = Dictionary(grouping: report.violations) { $0 }.map { "\($0.value.count) times: \($0.key)" }
      let violations = kinds.sorted().prefix(12).joined(separator: "; ")
      return "\(report.moments) \(report.missing) \(report.writes) \(report.violations.count) \(violations)"
    }
  }

  func note(_ violation: String) { report.withLock { $0.violations.append(violation) } }

  /// Reads all values of the active environment from the disk, and records those that name another one.
  public func check() async throws {
    let name = app.active.value.id.uuidString
    let stored = try await onThread { [self] in
      try [
        "file": file.read().environment, "suite": mark.read().environment,
        "rows": Self.environment(of: database.read { try $0.all(MarkRow.self) }),
        "user": context.user.value?.environment ?? "nobody",
        "user's rows": Self.environment(
          of: context.current.value.store.persistence.read { try $0.all(MarkRow.self) }),
      ]
    }
    for (source, mark) in stored where mark != name { note("\(source) in \(name) has stored \(mark)") }
    let appended = try await onThread { [log] in try log.entries().map { try $0.get() } }
    for entry in appended where entry.event != name { note("the log in \(name) has an event of \(entry.event)") }
    // The consumer receives what it missed while another environment was active.
    let ids = Set(appended.map(\.id))
    _ = try await received.firstValue("all events of \(name)") { [self] _ in
      ids.isSubset(of: report.withLock { $0.events[name, default: []] })
    }
  }
}
