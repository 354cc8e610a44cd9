import FileSignals
import Foundation

extension InspectorPass {
  mutating func buildLog(_ path: String, _ locks: inout InspectedLocks) {
    guard var log = state.logs[path] else { return }
    let id = Self.id(.log, path, without: "Logs")
    let details = log.details(&locks, at: now)
    state.logs[path] = log
    var resource = resource(id, path, .log(details))
    resource.version = "\(details.end)-\(details.bytes)"
    (resource.size, resource.at) = (details.bytes, details.last)
    guard case .log(let old)? = state.resources[id]?.typedDetails else { return put(resource, .insert, "created") }
    let added = (Int(details.end) ?? 0) - (Int(old.end) ?? 0)
    if added > 0 {
      let ends = Dictionary(old.producers.map { ($0.id, $0.end) }) { $1 }
      let writers = details.producers.filter { ends[$0.id] != $0.end }
      put(
        resource, .append, added == 1 ? "1 event" : "\(added) events", count: added, at: details.last,
        process: writers.count == 1 ? writers[0].process : nil)
    } else if let change = Self.consumerChange(old, details) {
      put(resource, .update, change)
    } else {
      put(resource)
    }
  }

  /// Returns a description of consumers that stopped to keep up or to run, or that are new.
  private static func consumerChange(_ old: InspectedLog, _ new: InspectedLog) -> String? {
    let known = Dictionary(old.consumers.map { ($0.name, $0) }) { $1 }
    let changes = new.consumers.compactMap { consumer -> String? in
      guard let old = known[consumer.name] else { return "consumer \(consumer.name) is new" }
      let isLasting = consumer.state == .stalled || consumer.state == .dead || old.running != consumer.running
      guard old.state != consumer.state, old.state != .unknown, isLasting else { return nil }
      return "consumer \(consumer.name): \(old.state.rawValue) → \(consumer.state.rawValue)"
    }
    let names = Set(new.consumers.map(\.name))
    let removed = old.consumers.map(\.name).filter { !names.contains($0) }.map { "consumer \($0) was removed" }
    return (changes + removed).isEmpty ? nil : (changes + removed).joined(separator: ", ")
  }

  mutating func buildPresence(_ path: String, _ locks: inout InspectedLocks) {
    let id = Self.id(.presence, path, without: "Presence")
    let details: InspectedPresence
    do {
      details = try InspectedPresence(state.url(path), &locks, state.redaction)
    } catch {
      // The processes that were read last are shown until the directory can be read again.
      found.insert(id)
      return
    }
    var resource = resource(id, path, .presence(details))
    resource.version = ReadFile.version(of: Data("\(details)".utf8))
    guard case .presence(let old)? = state.resources[id]?.typedDetails else { return put(resource, .insert, "created") }
    let (was, now) = (Set(old.members.map(\.process)), Set(details.members.map(\.process)))
    let changes =
      now.subtracting(was).sorted().map { "\($0) came" } + was.subtracting(now).sorted().map { "\($0) left" }
    if changes.isEmpty, old.members.map(\.value) == details.members.map(\.value) { return put(resource) }
    let member = changes.count == 1 ? now.subtracting(was).first : nil
    put(resource, .update, changes.isEmpty ? "a value changed" : changes.joined(separator: ", "), process: member)
  }

  mutating func buildDatabase(_ path: String, isChanged: Bool, _ locks: inout InspectedLocks) {
    guard var details = state.databases[path] else { return }
    let id = "database/\(path)"
    details.addProcesses(state.url(path), &locks)
    var resource = resource(id, path, .database(details))
    let version = state.stamps[path].map { ReadFile.version(of: Data("\($0)".utf8)) }
    resource.version = details.history?.last ?? version ?? ""
    let switcher = switcher(of: path)
    let last = details.history?.entries.first?.provenance
    guard case .database(let old)? = state.resources[id]?.typedDetails else {
      return put(resource, .insert, "created", provenance: switcher ?? last)
    }
    if let history = details.history, let last = Int(old.history?.last ?? "0"), (Int(history.last) ?? 0) > last {
      for commit in history.entries.reversed() where (Int(commit.seq) ?? 0) > last {
        let author = commit.author.isEmpty ? nil : commit.author
        let known = commit.provenance == nil ? details.authors?.first { $0.name == author }?.process : nil
        put(
          resource, .update, Self.summary(commit), at: commit.at, process: known, author: author,
          provenance: commit.provenance)
      }
    } else if isChanged, old.tables != details.tables {
      let was = Dictionary(old.tables.map { ($0.name, $0.rows) }) { $1 }
      let changes = details.tables.filter { was[$0.name] != $0.rows }.map { table in
        "\(table.name): \(was[table.name] ?? 0) → \(table.rows)\(table.capped ? "+" : "") rows"
      }
      // A shared database changes without a newer transaction if a switch has put another one in its place.
      let earlier = details.history == nil ? nil : lastSwitcher(of: path)
      put(
        resource, .update, changes.isEmpty ? "changed" : changes.joined(separator: ", "),
        provenance: switcher ?? earlier)
    } else {
      put(resource, provenance: last)
    }
  }

  private static func summary(_ commit: InspectedDatabase.Commit) -> String {
    var parts: [String] = []
    if commit.inserted > 0 { parts.append("\(commit.inserted) inserted") }
    if commit.updated > 0 { parts.append("\(commit.updated) updated") }
    if commit.deleted > 0 { parts.append("\(commit.deleted) deleted") }
    if commit.everything == true { parts.append("everything may have changed") }
    return "\(commit.tables.joined(separator: ", ")): \(parts.joined(separator: ", "))"
  }

  mutating func buildContainer(_ path: String) {
    guard let details = state.containers[path] else { return }
    let root = InspectorState.container(path).root
    var resource = resource("container/\(root)", path, .container(details))
    resource.version = details.revision
    let provenance = state.provenances[path]
    guard case .container(let old)? = state.resources[resource.id]?.typedDetails else {
      return put(resource, .insert, "created", provenance: provenance)
    }
    if old == details { return put(resource, provenance: provenance) }
    let name = details.environments.first { $0.active }?.name ?? details.active
    let names = (Set(old.environments.map(\.name)), Set(details.environments.map(\.name)))
    let summary =
      old.active != details.active
      ? "switched to \(name)"
      : details.journal != nil
        ? "a switch is in progress"
        : names.0 == names.1
          ? "changed"
          : (names.1.subtracting(names.0).sorted().map { "+ \($0)" }
            + names.0.subtracting(names.1).sorted().map { "- \($0)" }).joined(separator: ", ")
    put(resource, .update, summary, provenance: provenance)
  }

  mutating func buildSession(_ path: String, _ locks: inout InspectedLocks) {
    guard var details = state.sessions[path] else { return }
    details.refresh(state.url(path), &locks)
    let (directory, name) = Self.split(path)
    let id = "session/" + (name == "session.sqlite" ? directory : path)
    var resource = resource(id, path, .session(details))
    resource.version = "\(details.number)-\(details.generation)"
    let provenance = state.provenances[path]
    guard case .session(let old)? = state.resources[id]?.typedDetails else {
      return put(resource, .insert, "created", provenance: provenance)
    }
    if old.state != details.state || old.number != details.number {
      let summary = details.state == .in ? "logged in" : details.state == .out ? "logged out" : "expired"
      put(resource, .update, summary, provenance: provenance)
    } else if old.generation != details.generation {
      put(resource, .update, "renewed", provenance: provenance)
    } else {
      put(resource, provenance: provenance)
    }
  }
}
