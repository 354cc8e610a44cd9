import Cluster
import Foundation
import SignalsKit

/// What a child process does.
enum ChildRole {
  /// Writes a ``Message`` whenever it is told to.
  case writer(directory: String)
  /// Prints each ``Message`` when it lands, and how long it took.
  case watcher(directory: String)
  /// Increments a counter so many times through `update`, when it is told to begin.
  case counter(directory: String, times: Int)
  /// Writes large pictures until it is killed.
  case painter(directory: String)
  /// Reads and observes large pictures all the time, and counts those that are not whole.
  case examiner(directory: String)
  /// Prints each theme, and each failure.
  case decorator(directory: String)
  /// Prints what the active environment holds, and again after each switch.
  case tenant(directory: String)
  /// Switches environments until it is killed.
  case switcher(directory: String)
  /// Prints each ticket of the session, and how far it is known who the user is.
  case visitor(directory: String)
  /// Prints what is set for the shop, and sets the discount that it is told to.
  case shop(directory: String)
  /// Increments a value of a cluster so many times, when it is told to begin.
  case machine(endpoints: String, times: Int)
  /// Uses everything at once, as one of several workers.
  case worker(directory: String, slot: Int)

  /// The argument that says that the process is a child.
  static let flag = "--child"

  private static let names = [
    "writer", "watcher", "counter", "painter", "examiner", "decorator", "tenant", "switcher", "visitor", "shop",
    "machine", "worker",
  ]

  init(_ arguments: [String]) throws(UsageError) {
    guard arguments.count >= 2 else { throw UsageError("\(Self.flag) takes a role and a directory") }
    let directory = arguments[1]
    switch arguments[0] {
    case "writer": self = .writer(directory: directory)
    case "watcher": self = .watcher(directory: directory)
    case "counter": self = .counter(directory: directory, times: arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0)
    case "painter": self = .painter(directory: directory)
    case "examiner": self = .examiner(directory: directory)
    case "decorator": self = .decorator(directory: directory)
    case "tenant": self = .tenant(directory: directory)
    case "switcher": self = .switcher(directory: directory)
    case "visitor": self = .visitor(directory: directory)
    case "shop": self = .shop(directory: directory)
    case "machine": self = .machine(endpoints: directory, times: arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0)
    case "worker": self = .worker(directory: directory, slot: arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0)
    default: throw UsageError("\(Self.flag) takes one of \(Self.names.joined(separator: ", "))")
    }
  }

  var arguments: [String] {
    switch self {
    case .writer(let directory): ["writer", directory]
    case .watcher(let directory): ["watcher", directory]
    case .counter(let directory, let times): ["counter", directory, String(times)]
    case .painter(let directory): ["painter", directory]
    case .examiner(let directory): ["examiner", directory]
    case .decorator(let directory): ["decorator", directory]
    case .tenant(let directory): ["tenant", directory]
    case .switcher(let directory): ["switcher", directory]
    case .visitor(let directory): ["visitor", directory]
    case .shop(let directory): ["shop", directory]
    case .machine(let endpoints, let times): ["machine", endpoints, String(times)]
    case .worker(let directory, let slot): ["worker", directory, String(slot)]
    }
  }

  /// Plays the role until standard input ends, which it does when the guide ends.
  func run() async throws {
    // What is inherited: a child whose guide is gone is to go, too.
    signal(SIGPIPE, SIG_DFL)
    let commands = Commands()
    switch self {
    case .writer(let directory): try await write(in: directory, commands)
    case .watcher(let directory): try await watch(in: directory, commands)
    case .counter(let directory, let times): try await count(times, in: directory, commands)
    case .painter(let directory): try paint(in: directory)
    case .examiner(let directory): try examine(in: directory)
    case .decorator(let directory): try await decorate(in: directory, commands)
    case .tenant(let directory): try await live(in: directory, commands)
    case .switcher(let directory): try await switchForEver(in: directory)
    case .visitor(let directory): try await visit(in: directory, commands)
    case .shop(let directory): try await sell(in: directory, commands)
    case .machine(let endpoints, let times): try await count(times, at: endpoints, commands)
    case .worker(let directory, let slot):
      try await SoakWorker(slot: slot, directory: directory).run(commands) { say($0) }
    }
  }

  private func write(in directory: String, _ commands: Commands) async throws {
    let file = try Message.file(in: container(directory))
    say("ready")
    for await command in commands.lines {
      guard let number = Int(command) else { continue }
      try await file.write(Message(number: number, sentAt: Latencies.now()))
    }
  }

  private func watch(in directory: String, _ commands: Commands) async throws {
    let file = try Message.file(in: container(directory))
    let subscription = file.property.changes.sink { message in
      say("\(message.number) \(Latencies.now() - message.sentAt)")
    }
    say("ready")
    for await _ in commands.lines {}
    subscription.cancel()
  }

  private func count(_ times: Int, in directory: String, _ commands: Commands) async throws {
    let file = try AppGroupsFile(name: "count.json", initialValue: 0, container: container(directory))
    say("ready")
    for await _ in commands.lines { break }
    for _ in 0..<times { try await file.update { $0 += 1 } }
    say("done")
  }

  private func paint(in directory: String) throws {
    let file = try Picture.file(in: container(directory))
    say("ready")
    while true { try file.write(file.value.next) }
  }

  private func examine(in directory: String) throws {
    let file = try Picture.file(in: container(directory))
    let findings = MutableProperty(Findings())
    let changes = file.property.changes.map(\.isWhole).sink { isWhole in
      findings.modify { findings in
        findings.changes += 1
        findings.torn += isWhole ? 0 : 1
      }
    }
    let failures = file.failures.sink { _ in findings.modify { $0.torn += 1 } }
    for reads in 1... {
      // From the disk each time, past what this process remembers.
      let isWhole = try file.read().isWhole
      findings.modify { findings in
        findings.reads = reads
        findings.torn += isWhole ? 0 : 1
      }
      if reads % 50 == 1 || !isWhole { say(findings.value.line) }
    }
    changes.cancel()
    failures.cancel()
  }

  private func decorate(in directory: String, _ commands: Commands) async throws {
    let file = try Theme.file(in: container(directory))
    let themes = file.map(\.name).sink { say("theme \($0)") }
    let failures = file.failures.sink { _ in say("failure \(file.value.name)") }
    say("ready")
    for await _ in commands.lines {}
    themes.cancel()
    failures.cancel()
  }

  private func live(in directory: String, _ commands: Commands) async throws {
    let app = try environments(directory)
    let greeting = try Greeting.file(in: app)
    let sights = greeting.sink { say("sees \($0)") }
    say("ready")
    for await _ in commands.lines {}
    sights.cancel()
  }

  private func switchForEver(in directory: String) async throws {
    let app = try environments(directory)
    say("ready")
    while true {
      for environment in app.environments.value { try await app.activate(environment) }
    }
  }

  private func visit(in directory: String, _ commands: Commands) async throws {
    let container = try container(directory)
    let clerk = try TicketClerk(container)
    let context = try TicketClerk.session(in: container)
    try await context.setup(authDelegate: clerk)
    let tickets = context.user.compactMap(\.self).sink { say("ticket \($0.ticket)") }
    let states = context.authState.sink { say("\($0)") }
    say("ready")
    for await _ in commands.lines {}
    tickets.cancel()
    states.cancel()
    withExtendedLifetime(clerk) {}
  }

  private func sell(in directory: String, _ commands: Commands) async throws {
    let manager = try Flags.manager(in: container(directory))
    let discounts = manager.signal(for: Flags.discount).sink { say("discount \($0)") }
    let doors = manager.signal(for: Flags.isOpen).sink { say("isOpen \($0)") }
    say("ready")
    for await command in commands.lines {
      if let discount = Int(command) { try manager.set(discount, for: Flags.discount) }
    }
    discounts.cancel()
    doors.cancel()
  }

  private func count(_ times: Int, at endpoints: String, _ commands: Commands) async throws {
    let cluster = try EtcdCluster(
      endpoints: endpoints.split(separator: ",").compactMap { URL(string: String($0)) }, namespace: "tour",
      options: ClusterOptions(deadline: .seconds(60)))
    let count = try await ClusterValue.open(key: "count", initialValue: 0, cluster: cluster)
    say("ready")
    for await _ in commands.lines { break }
    for _ in 0..<times { try await count.update { $0 += 1 } }
    say("done")
  }

  private func environments(_ directory: String) throws -> AppContainer {
    try AppContainer(home: URL(fileURLWithPath: directory, isDirectory: true))
  }

  private func container(_ directory: String) throws -> AppGroupsContainer {
    try AppGroupsContainer(directory: URL(fileURLWithPath: directory, isDirectory: true))
  }

  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
