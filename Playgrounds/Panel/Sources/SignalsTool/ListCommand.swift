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
      let log = resource.details
      let consumers = log["consumers"]?.array ?? []
      if consumers.isEmpty { table.add(resource.name, "—", "—", log.text("end"), "—", "no consumer") }
      for consumer in consumers {
        let since = consumer["since"]?.double.map { $0 >= 1 ? " \(Int($0))s" : "" } ?? ""
        table.add(
          resource.name, consumer.text("name"), consumer.text("cursor"), consumer.text("end"), consumer.text("lag"),
          consumer.text("state") + since)
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
    let details = details
    func list(_ name: String) -> [InspectedValue] { details[name]?.array ?? [] }
    func joined(_ name: String, _ text: (InspectedValue) -> String) -> String {
      list(name).map(text).joined(separator: ", ")
    }
    switch kind {
    case .file, .suite: return value.map { short("\($0)") } ?? (status == .ok ? "large" : "hidden")
    case .tweak: return value.map { short("\($0)") } ?? (details["secret"] == true ? "hidden" : "large")
    case .log:
      let counts = (list("producers").count, list("consumers").count)
      return "\(details.text("events")) events, \(counts.0) producers, \(counts.1) consumers"
    case .presence: return joined("members") { $0.text("process") }
    case .database:
      return joined("tables") { "\($0.text("name")) \($0.text("rows"))\($0["capped"] == true ? "+" : "")" }
    case .container: return joined("environments") { $0["active"] == true ? "[\($0.text("name"))]" : $0.text("name") }
    case .session: return "\(details.text("state")) \(details["user"]?.string ?? "")"
    case .lock: return "\(details.text("purpose")): \(joined("holders") { $0.text("process") })"
    case .graph: return "\(list("nodes").count) signals"
    @unknown default: return value.map { short("\($0)") } ?? ""
    }
  }

  private func short(_ text: String) -> String { text.count > 80 ? text.prefix(79) + "…" : text }
}

extension InspectedValue {
  /// The member of an object as a cell of a table, or a dash if there is none.
  func text(_ name: String) -> String {
    guard let member = self[name] else { return "—" }
    return member.string ?? "\(member)"
  }
}
