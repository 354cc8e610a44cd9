import Foundation
import SignalsKit

/// All parts of the toolkit at once, in several processes, some of which are killed all the time; each promise is
/// checked.
struct Soak {
  /// For how long it goes on.
  let seconds: Double

  private static let workerCount = 4

  /// A worker, and what is known of the lives that it has lost.
  private struct Place {
    var process: ChildProcess
    /// What it had said of its lives before this one: how often it logged and visited.
    var logged = 0
    var visited = 0
    var deaths = 0
  }

  /// What the log has told of a worker.
  private struct Heard: Sendable {
    var count = 0
    var last = 0
  }

  /// Runs it to the end.
  ///
  /// - Returns: The exit status: 0 if every promise was kept.
  /// - Throws: What keeps it from going on.
  func run() async throws -> CInt {
    let workplace = try Workplace()
    defer { workplace.remove() }
    let display = Display()
    display.title("Signals: everything at once, for \(Int(seconds)) seconds")
    let world = try SoakWorld(workplace.directory)
    try await world.prepare()
    // Transactions name their process once the database is shared, which begins with the workers.
    let witness = try ChangeWitness(workplace)
    let office = try TicketOffice.file(in: world.container)
    let clerk = try TicketClerk(world.container)
    let context = try TicketClerk.session(in: world.container)
    try await context.setup(authDelegate: clerk)
    try await context.triggerLogin()

    var subscriptions: Set<SignalSubscription> = []
    let heard = MutableProperty([Int: Heard]())
    let disorder = MutableProperty(0)
    try world.log.events(for: "auditor").sink { entry in
      let (slot, number) = (entry.event.slot, entry.event.number)
      let isOrdered = heard.modify { heard in
        let isNext = number > heard[slot, default: Heard()].last
        heard[slot, default: Heard()].count += 1
        heard[slot, default: Heard()].last = number
        return isNext
      }
      if !isOrdered { disorder.modify { $0 += 1 } }
    }.store(in: &subscriptions)
    let backwards = MutableProperty(0)
    for slot in 0..<Self.workerCount {
      let last = MutableProperty(0)
      world.flags.signal(for: SoakWorld.flag(slot)).sink { number in
        if number < last.value { backwards.modify { $0 += 1 } }
        last.value = number
      }.store(in: &subscriptions)
    }

    var places: [Place] = []
    for slot in 0..<Self.workerCount { places.append(Place(process: try await worker(slot, workplace))) }
    let switching = MutableProperty(0)
    let isOver = MutableProperty(false)
    let switcher = Task {
      while !isOver.value {
        for environment in world.app.environments.value {
          try await world.app.activate(environment)
          switching.modify { $0 += 1 }
          try await Task.sleep(for: .milliseconds(150))
        }
      }
    }

    var (lost, kills, late) = (0, 0, 0)
    var own = Vitals()
    var workers = Vitals()
    let begin = Latencies.now()
    while Double(Latencies.now() - begin) / 1e9 < seconds {
      try await Task.sleep(for: .milliseconds(.random(in: 300...900)))
      let slot = Int.random(in: 1..<Self.workerCount)
      places[slot].process.killNow()
      kills += 1
      let report = try await last(of: places[slot].process)
      places[slot].logged += report.logged
      places[slot].visited += report.visited
      places[slot].deaths += 1
      // What it had said is there; it may have done one thing more than it could say.
      let counted = try world.ledger.read()[slot, default: 0]
      if report.counted > 0, !(report.ledger...report.ledger + 1).contains(counted) { lost += 1 }
      do {
        try await world.presence.property.wait(for: "the end of worker \(slot)") { present in
          !present.contains { $0.value == slot }
        }
      } catch {
        late += 1
      }
      places[slot].process = try await worker(slot, workplace)
      own.look(at: getpid())
      workers.look(at: places[0].process.identifier)
      let passed = Int(Double(Latencies.now() - begin) / 1e9)
      display.progress("\(passed) of \(Int(seconds)) s: \(kills) killed, \(switching.value) switches")
    }
    isOver.value = true
    try await switcher.value
    for place in places { try place.process.tell("stop") }
    for place in places { try await place.process.wait(for: "stopped") }

    let reports = places.map { $0.process.transcript.value.lines.compactMap(SoakReport.init).last ?? SoakReport() }
    // Each life that was lost may have done one thing that it could not say.
    func agrees(_ count: Int, _ said: Int, _ place: Place) -> Bool { (said...said + place.deaths).contains(count) }
    for (slot, place) in places.enumerated() {
      let due = place.logged + reports[slot].logged
      try await heard.wait(for: "the log of worker \(slot)") { $0[slot, default: Heard()].count >= due }
      try await world.flags.property(for: SoakWorld.flag(slot)).wait(for: "flag \(slot)") { $0 == reports[slot].flag }
    }
    var visits: [Int: Int] = [:]
    var misnamed = 0
    for environment in world.app.environments.value {
      try await world.app.activate(environment)
      if world.name.value != environment.name { misnamed += 1 }
      visits.merge(world.visits.value) { $0 + $1 }
    }
    let events = heard.value
    let logAgrees = places.indices.allSatisfy { slot in
      agrees(events[slot, default: Heard()].count, places[slot].logged + reports[slot].logged, places[slot])
    }
    let visitsAgree = places.indices.allSatisfy { slot in
      agrees(visits[slot, default: 0], places[slot].visited + reports[slot].visited, places[slot])
    }
    let torn = reports.map(\.torn).reduce(0, +)
    let unbalanced = reports.map(\.unbalanced).reduce(0, +)
    let misplaced = reports.map(\.misplaced).reduce(0, +) + misnamed
    let books = try office.read()
    let updates = try world.ledger.read().values.reduce(0, +)
    let balance = try world.sum()
    let state = try await context.authState.wait(for: "a session that is valid") { $0 != .presession }

    let named = await witness.judge()

    return display.summarize(
      [
        Promise("No update of a file is lost", isKept: lost == 0, seen: "\(updates) updates, \(lost) lost"),
        Promise("Nobody sees a torn value", isKept: torn == 0, seen: "\(torn) torn"),
        Promise(
          "No event of a log is lost or out of order", isKept: logAgrees && disorder.value == 0,
          seen: "\(events.values.map(\.count).reduce(0, +)) events, \(disorder.value) out of order"),
        Promise(
          "A transaction happens as a whole or not at all",
          isKept: unbalanced == 0 && balance == SoakWorld.Account.count * 1_000,
          seen: "\(unbalanced) times out of balance"),
        Promise(
          "A switch loses nothing and mixes nothing", isKept: visitsAgree && misplaced == 0,
          seen: "\(switching.value) switches, \(visits.values.reduce(0, +)) updates meanwhile, \(misplaced) misplaced"),
        Promise(
          "A flag never goes back", isKept: backwards.value == 0, seen: "\(backwards.value) of all flips were seen to"),
        Promise("The dead are known to be dead", isKept: late == 0, seen: "\(kills) killed, \(late) not noticed"),
        named,
        Promise(
          "A session is renewed once for all", isKept: state == .authenticated && books.misuses == 0,
          seen: "\(books.issued) tickets, \(books.misuses) used twice"),
        Promise("Nothing grows here", isKept: own.areFlat, seen: own.text),
        Promise("Nothing grows in a process that works all the time", isKept: workers.areFlat, seen: workers.text),
      ],
      after: "\(ChildProcess.startedCount.value) child processes and \(Latencies.seconds(since: begin))")
  }

  private func worker(_ slot: Int, _ workplace: Workplace) async throws -> ChildProcess {
    let process = try ChildProcess(.worker(directory: workplace.directory.path, slot: slot), keeping: 20)
    try await process.wait(for: "a worker") { !$0.isEmpty }
    return process
  }

  /// What a process that was killed had said last.
  private func last(of process: ChildProcess) async throws -> SoakReport {
    let transcript = try await process.transcript.wait(for: "the end of a worker") { $0.hasEnded }
    return transcript.lines.compactMap(SoakReport.init).last ?? SoakReport()
  }
}
