import FileSignals
import Foundation
import Tweaks

/// One comparison of a directory with the state of an inspector.
struct InspectorPass {
  var state: InspectorState
  let now: ContinuousClock.Instant
  let isWhole: Bool
  let isTick: Bool

  /// The paths of the files that a process has locked; empty if the pass does not compare everything.
  private(set) var locked: Set<String> = []
  /// The roots whose contents are or were switched since the last pass, and who does it.
  private var switches: [(root: String, by: Provenance)] = []
  var update = InspectorUpdate()

  /// The identifiers of the resources that still exist.
  var found: Set<String> = []

  /// The resources that are new or different.
  var changed: [String: InspectedResource] = [:]

  /// Begins a pass, which is the only owner of the state until it ends; otherwise each change of a dictionary would copy
  /// it.
  init(taking state: inout InspectorState, now: ContinuousClock.Instant, isWhole: Bool, isTick: Bool) {
    (self.state, self.now, self.isWhole, self.isTick) = (state, now, isWhole, isTick)
    state = InspectorState(root: state.root, redaction: state.redaction, isWritable: state.isWritable)
  }

  /// Builds the resources of places, and records the differences.
  mutating func build(_ places: [Survey.Place], changed: Set<String>, locks: inout InspectedLocks) {
    let lockedPaths = isWhole ? state.lockedPaths : [:]
    locked = Set(lockedPaths.values)
    switches = places.compactMap { place in
      guard place.kind == .container, let by = state.provenances[place.path],
        let details = state.containers[place.path]
      else { return nil }
      let root = InspectorState.container(place.path).root
      guard case .container(let old)? = state.resources["container/\(root)"]?.typedDetails,
        details.journal != nil || old.active != details.active
      else { return nil }
      return (root, by)
    }
    let isSecrecyChanged = buildTweaks(changed)
    for place in isSecrecyChanged ? state.places : places {
      switch place.kind {
      case .file:
        buildFile(place.path, isChanged: changed.contains(place.path), isSecrecyChanged: isSecrecyChanged, &locks)
      case .log: buildLog(place.path, &locks)
      case .presence: buildPresence(place.path, &locks)
      case .database: buildDatabase(place.path, isChanged: changed.contains(place.path), &locks)
      case .container: buildContainer(place.path)
      case .session: buildSession(place.path, &locks)
      }
    }
    if isWhole { buildOthers(lockedPaths, &locks) }
    let kinds = Set(self.changed.values.map(\.kind))
    if isWhole || !kinds.isDisjoint(with: [.lock, .presence, .graph]) { buildProcesses(&locks) }
    if isTick { buildRates() }
  }

  /// Returns who has switched the contents around a file, because of which the file is another one.
  func switcher(of path: String) -> Provenance? {
    switches.first { $0.root.isEmpty || path.hasPrefix($0.root + "/") }?.by
  }

  /// Returns who made the last switch around a file, which may have been seen in an earlier pass.
  func lastSwitcher(of path: String) -> Provenance? {
    state.places.lazy.filter { $0.kind == .container }.compactMap { place in
      let root = InspectorState.container(place.path).root
      return root.isEmpty || path.hasPrefix(root + "/") ? state.provenances[place.path] : nil
    }.first
  }

  /// Builds the resources that are no places, and removes resources that are gone.
  private mutating func buildOthers(_ lockedPaths: [UInt64: String], _ locks: inout InspectedLocks) {
    for var lock in locks.resources(lockedPaths, in: state.root.path) {
      guard case .lock(var details) = lock.typedDetails else { continue }
      if case .lock(let old)? = state.resources[lock.id]?.typedDetails, old.holders == details.holders {
        details.since = old.since
      } else {
        details.since = Date()
      }
      lock.typedDetails = .lock(details)
      put(lock)
    }
    for graph in state.graphs {
      put(InspectedResource(id: "graph/\(graph.process)", name: graph.process, .graph(graph)))
    }
    removeMissing()
  }

  /// Ends the pass.
  ///
  /// - Returns: The differences.
  mutating func finish() -> InspectorUpdate {
    update.resources = changed.values.sorted { $0.id < $1.id }
    state.finish(&update, isWhole: isWhole)
    return update
  }

  // MARK: Places

  /// Returns the identifier of a place, from the parts of its path that are not the same for all places of a kind.
  static func id(_ kind: InspectedResource.Kind, _ path: String, without folder: String) -> String {
    var parts = path.parts(separatedBy: "/", omittingEmpty: true)
    if let index = parts.lastIndex(of: folder), index == parts.count - 2 { parts.remove(at: index) }
    return "\(kind.rawValue)/\(parts.joined(separator: "/"))"
  }

  func resource(
    _ id: String, _ path: String, _ details: InspectedResource.Details
  ) -> InspectedResource {
    let name = String(id.drop { $0 != "/" }.dropFirst())
    var resource = InspectedResource(
      id: id, name: name.isEmpty ? state.root.lastPathComponent : name, path: path, details)
    resource.at = state.stamps[path]?.compactMap { $0?.date }.max()
    resource.size = FileStatus.ifReadable(path: state.url(path).path).flatMap { $0.kind == .regular ? $0.size : nil }
    return resource
  }

  static func split(_ path: String) -> (directory: String, name: String) {
    let parts = path.parts(separatedBy: "/", omittingEmpty: true)
    return (parts.dropLast().joined(separator: "/"), parts.last ?? "")
  }
}

extension InspectorPass {
  /// Builds the processes from the locks, presences and graphs that name them.
  mutating func buildProcesses(_ locks: inout InspectedLocks) {
    var processes: [Int32: InspectedProcess] = [:]
    func add(_ pid: Int32, _ holder: InspectedHolder) {
      if processes[pid] != nil { return }
      processes[pid] = InspectedProcess(id: holder.process, pid: pid, name: holder.name, stopped: holder.stopped)
    }
    for resource in state.resources.values {
      switch resource.typedDetails {
      case .lock(let lock):
        for holder in lock.holders {
          add(holder.pid, holder)
          processes[holder.pid]?.holds += 1
        }
      case .presence(let presence):
        for member in presence.members {
          add(member.pid, locks.holder(member.pid))
          let known = processes[member.pid]?.presences
          processes[member.pid]?.name = member.name
          processes[member.pid]?.suspended = member.suspended
          processes[member.pid]?.since = member.since
          processes[member.pid]?.presences = (known ?? []) + [resource.id]
        }
      case .graph(let graph):
        add(graph.pid, locks.holder(graph.pid))
        processes[graph.pid]?.publishes = true
      default: break
      }
    }
    let sorted = processes.values.sorted { $0.pid < $1.pid }
    if sorted != state.processes { update.processes = sorted }
    state.processes = sorted
  }
}

extension InspectorPass {
  /// Records a resource and, unless this is the first pass, its change.
  mutating func put(
    _ resource: InspectedResource, _ operation: InspectorChange.Operation? = nil, _ summary: String = "",
    _ differences: [InspectedDifference] = [], more: Int = 0, count: Int = 1, at date: Date? = nil,
    process: String? = nil, author: String? = nil, provenance: Provenance? = nil
  ) {
    var resource = resource
    found.insert(resource.id)
    let old = state.resources[resource.id]
    resource.rate = old?.rate
    resource.seq = old?.seq ?? "0"
    let process = process ?? provenance.map(InspectedLocks.process)
    let isSame = operation == nil && old?.version == resource.version
    resource.process = process ?? (isSame ? old?.process : nil)
    resource.cause = provenance?.cause ?? (isSame ? old?.cause : nil)
    if let operation, !state.isFirst {
      state.sequence += 1
      resource.seq = "\(state.sequence)"
      update.changes.append(
        InspectorChange(
          sequence: resource.seq, resource: resource.id, kind: resource.kind, operation: operation,
          version: resource.version, at: date ?? Date(),
          process: process, author: author, cause: resource.cause, count: count, summary: summary,
          differences: differences.isEmpty ? nil : differences, more: more > 0 ? more : nil))
      state.rates[resource.id, default: RateCounter()].add(count, at: now)
    }
    if old == resource { return }
    state.resources[resource.id] = resource
    changed[resource.id] = resource
  }

  mutating func removeMissing() {
    guard found.count < state.resources.count else { return }
    remove(Set(state.resources.keys).subtracting(found))
  }

  mutating func remove(_ ids: Set<String>) {
    for id in ids.sorted() {
      let resource = state.resources.removeValue(forKey: id)
      state.values[id] = nil
      state.rates[id] = nil
      update.removed.append(id)
      guard let resource else { continue }
      var summary = "removed"
      if case .lock(let lock) = resource.typedDetails {
        // Locks come and go all the time; only one that a dead process left is worth a line.
        let isDead = lock.holders.allSatisfy { FileStatus.ifReadable(path: "/proc/\($0.pid)") == nil }
        guard SystemLocks.isComplete, isDead, !lock.purpose.hasPrefix("having") else { continue }
        summary = "released by exit: \(lock.purpose)"
      }
      state.sequence += 1
      update.changes.append(
        InspectorChange(
          sequence: "\(state.sequence)", resource: id, kind: resource.kind, operation: .delete, at: Date(),
          summary: summary))
    }
  }

  mutating func buildRates() {
    for id in state.rates.keys {
      guard var counter = state.rates[id], var resource = state.resources[id] else { continue }
      let rate = counter.rate(at: now)
      state.rates[id] = rate == nil ? nil : counter
      guard resource.rate != rate else { continue }
      resource.rate = rate
      state.resources[id] = resource
      changed[id] = resource
    }
  }
}
