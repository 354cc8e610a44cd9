import ArgumentParser
import Foundation
import Inspector

/// Lists everything, or the resources of one kind.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the resources of a directory, or those of one kind.")

  @Argument(help: "A kind, such as files, logs, locks or processes.", completion: .list(ListCommand.kinds))
  var kind: String?

  @OptionGroup var place: Place

  static let kinds = InspectedResource.Kind.allCases.map { "\($0.rawValue)s" } + ["processes"]

  func run() async throws {
    try await Failure.reporting {
      let snapshot = try await place.open().refresh()
      guard let kind else { return try printAll(snapshot) }
      if kind == "processes" { return try printProcesses(snapshot) }
      guard
        let wanted = InspectedResource.Kind.allCases.first(where: { $0.rawValue == kind || "\($0.rawValue)s" == kind })
      else { throw ValidationError("There is no kind \(kind). Use one of: \(Self.kinds.joined(separator: ", ")).") }
      let resources = snapshot.resources(wanted)
      if place.json { return try Place.printJSON(resources) }
      if wanted == .log { return printLogs(resources) }
      printResources(resources)
    }
  }

  private func printAll(_ snapshot: InspectorSnapshot) throws {
    if place.json { return try Place.printJSON(snapshot) }
    printResources(snapshot.resources.filter { $0.kind != .lock })
    for problem in snapshot.problems { FileHandle.standardError.write(Data("warning: \(problem.message)\n".utf8)) }
  }

  private func printResources(_ resources: [InspectedResource]) {
    var table = Table("ID", "STATUS", "SIZE", "SUMMARY")
    for resource in resources {
      table.add(resource.id, resource.status.rawValue, resource.size.map(String.init) ?? "—", resource.summary)
    }
    table.print()
  }

  private func printLogs(_ resources: [InspectedResource]) {
    var table = Table("LOG", "CONSUMER", "CURSOR", "END", "LAG", "STATE")
    for resource in resources {
      guard case .log(let log) = resource.details else { continue }
      if log.consumers.isEmpty { table.add(resource.name, "—", "—", log.end, "—", "no consumer") }
      for consumer in log.consumers {
        let since = consumer.since.map { $0 >= 1 ? " \(Int($0))s" : "" } ?? ""
        table.add(
          resource.name, consumer.name, consumer.cursor ?? "—", consumer.end, consumer.lag.map(String.init) ?? "—",
          consumer.state.rawValue + since)
      }
    }
    table.print()
  }

  private func printProcesses(_ snapshot: InspectorSnapshot) throws {
    if place.json { return try Place.printJSON(snapshot.processes) }
    var table = Table("PROCESS", "PID", "LOCKS", "STATE")
    for process in snapshot.processes {
      table.add(
        process.name, "\(process.pid)", "\(process.holds)",
        process.suspended ? "suspended" : process.stopped ? "stopped" : "running")
    }
    table.print()
  }
}

extension InspectedResource {
  /// The resource in a few words.
  var summary: String {
    if let problem { return problem }
    switch details {
    case .file, .suite, .tweak: return value.map { short("\($0)") } ?? (truncated == true ? "large" : "hidden")
    case .log(let log):
      return "\(log.events) events, \(log.producers.count) producers, \(log.consumers.count) consumers"
    case .presence(let presence): return presence.members.map(\.process).joined(separator: ", ")
    case .database(let database):
      return database.tables.map { "\($0.name) \($0.rows)\($0.capped ? "+" : "")" }.joined(separator: ", ")
    case .container(let container):
      return container.environments.map { $0.active ? "[\($0.name)]" : $0.name }.joined(separator: ", ")
    case .session(let session): return "\(session.state.rawValue) \(session.user ?? "")"
    case .lock(let lock): return "\(lock.purpose): \(lock.holders.map(\.process).joined(separator: ", "))"
    case .graph(let graph): return "\(graph.nodes.count) signals"
    }
  }

  private func short(_ text: String) -> String { text.count > 80 ? text.prefix(79) + "…" : text }
}
