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
