import FileSignals
import Foundation
import Tweaks

/// All that an inspector knows of a directory, and the steps by which it follows the directory.
///
/// It is used by one thread at a time.
struct InspectorState {
  let root: URL
  let redaction: InspectorRedaction
  let isWritable: Bool
  private(set) var epoch = String(UInt32.random(in: .min ... .max), radix: 36)

  /// The last listing of the directory.
  private var survey = Survey()

  // The content of the places that were read, by path.
  var stamps: [String: [FileStamp?]] = [:]
  var files: [String: ReadFile] = [:]
  var logs: [String: ReadLog] = [:]
  var databases: [String: InspectedDatabase] = [:]
  var containers: [String: InspectedContainer] = [:]
  var sessions: [String: InspectedSession] = [:]
  var problems: [String: InspectedProblem] = [:]

  /// The processes that made the last changes of files, environments and sessions, by path.
  var provenances: [String: Provenance] = [:]

  /// The signals that processes publish.
  var graphs: [InspectedGraph] = [] {
    didSet {
      if graphs == oldValue { return }
      editors = [:]
      for graph in graphs {
        for file in graph.files ?? [] where editors[file.path] == nil {
          editors[file.path] = InspectedFile.Editor(process: graph.process, type: file.type)
        }
      }
    }
  }

  /// The processes through which files are changed, by path.
  private(set) var editors: [String: InspectedFile.Editor] = [:]

  /// The tweaks whose values must not be shown.
  var secrets: Set<TweakID> = []

  /// The resources at the end of the last pass, by identifier.
  var resources: [String: InspectedResource] = [:]

  /// The resources at the end of the last pass, in the order of their identifiers.
  private var list: [InspectedResource] = []

  /// The identifiers of the resources of files, by path.
  var fileIDs: [String: String] = [:]

  /// The identifiers of the resources of tweaks.
  var tweakIDs: Set<String> = []

  /// The files that held tweaks at the end of the last pass.
  var tweakPaths: Set<String> = []

  /// The values without their redacted parts, by identifier, of whatever size.
  var values: [String: InspectedValue] = [:]

  var processes: [InspectedProcess] = []
  var rates: [String: RateCounter] = [:]
  var sequence = 0
  private var hasBegun = false
  private var wasReported: [InspectedProblem] = []

  init(root: URL, redaction: InspectorRedaction, isWritable: Bool) {
    (self.root, self.redaction, self.isWritable) = (root, redaction, isWritable)
  }

  /// The extent of a comparison.
  enum Extent {
    /// Everything in the directory.
    case whole(isTick: Bool)

    /// The places to which these paths belong.
    case paths(Set<String>)
  }

  /// Compares the directory with the last pass.
  ///
  /// - Parameters:
  ///   - extent: The part of the directory to compare. Rates are part of a comparison only at a tick.
  ///   - touched: The paths that were reported as changed, so that they are read even if their marks are the same.
  /// - Returns: The differences, which are empty in the first pass, or `nil` if the paths belong to places that are not
  ///   known, so that everything must be compared.
  mutating func pass(_ extent: Extent, touched: Set<String> = []) -> InspectorUpdate? {
    var locks = InspectedLocks()
    let isWhole: Bool
    var (isTick, places) = (false, [Survey.Place]())
    switch extent {
    case .whole(let isAtTick):
      survey = Survey(of: root.path, findingPathsOf: locks.inodes)
      (isWhole, isTick, places) = (true, isAtTick, survey.places)
    case .paths(let paths):
      guard hasBegun, let found = survey.places(touchedBy: paths) else { return nil }
      (isWhole, places) = (false, found)
    }
    let changed = read(places, touched: touched, isWhole: isWhole)
    var next = InspectorPass(taking: &self, now: ContinuousClock.now, isWhole: isWhole, isTick: isTick)
    next.build(places, changed: changed, locks: &locks)
    let update = next.finish()
    self = next.state
    return update
  }

  /// Compares the problems with the problems of the last pass, and the list of resources with the changed ones.
  mutating func finish(_ update: inout InspectorUpdate, isWhole: Bool) {
    if isWhole || !problems.isEmpty || !wasReported.isEmpty {
      let found = problems.values.sorted { $0.id < $1.id }
      if found != wasReported { update.problems = found }
      wasReported = found
    }
    if !update.removed.isEmpty || update.resources.contains(where: { place(of: $0.id) == nil }) {
      list = resources.values.sorted { $0.id < $1.id }
    } else {
      for resource in update.resources {
        if let place = place(of: resource.id) { list[place] = resource }
      }
    }
    if !hasBegun { update = InspectorUpdate() }
    hasBegun = true
  }

  /// Returns the position of a resource in the list.
  private func place(of id: String) -> Int? {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < list.count && list[low].id == id ? low : nil
  }

  /// The places of the last listing.
  var places: [Survey.Place] { survey.places }

  /// The paths of the locked files in the last listing, by inode.
  var lockedPaths: [UInt64: String] { survey.locked }

  /// A Boolean value that indicates whether there was no pass yet, so that nothing counts as a change.
  var isFirst: Bool { !hasBegun }

  /// Everything at the end of the last pass.
  var snapshot: InspectorSnapshot {
    InspectorSnapshot(
      epoch: epoch, seq: "\(sequence)", writable: isWritable, name: root.lastPathComponent, directory: root.path,
      at: Date(), processes: processes, resources: list,
      problems: problems.values.sorted { $0.id < $1.id })
  }

  /// Returns the file or directory at a path.
  func url(_ path: String) -> URL { path.isEmpty ? root : root.appending(path: path) }

  // MARK: Reading

  /// Reads the places that changed, and forgets places that are gone.
  ///
  /// - Returns: The paths of the places that were read.
  private mutating func read(_ places: [Survey.Place], touched: Set<String>, isWhole: Bool) -> Set<String> {
    var changed: Set<String> = []
    for place in places {
      if isWhole, stamps[place.path] == place.stamps, !touched.contains(place.path) { continue }
      stamps[place.path] = place.stamps
      changed.insert(place.path)
      problems[place.path] = nil
      do {
        try read(place)
      } catch {
        report(error, of: place)
      }
    }
    if isWhole, stamps.count > places.count { forget(Set(stamps.keys).subtracting(places.map(\.path))) }
    return changed
  }

  private mutating func forget(_ paths: Set<String>) {
    for path in paths {
      stamps[path] = nil
      files[path] = nil
      logs[path] = nil
      databases[path] = nil
      containers[path] = nil
      sessions[path] = nil
      problems[path] = nil
      provenances[path] = nil
      fileIDs[path] = nil
    }
  }

  private mutating func read(_ place: Survey.Place) throws {
    let url = url(place.path)
    provenances[place.path] = nil
    switch place.kind {
    case .file: files[place.path] = ReadFile(url, path: place.path, &provenances[place.path])
    case .database: databases[place.path] = try InspectedDatabase(url)
    case .session: sessions[place.path] = try InspectedSession(url, &provenances[place.path])
    case .presence: break
    case .container:
      let (root, hidden) = Self.container(place.path)
      containers[place.path] = try InspectedContainer(
        self.url(root), hidden: hidden, &provenances[place.path])
    case .log:
      if try logs[place.path]?.isInPlace != true {
        let directory = url.deletingLastPathComponent().deletingLastPathComponent()
        logs[place.path] = try ReadLog(name: url.lastPathComponent, in: directory)
      }
      logs[place.path]?.read()
    }
  }

  /// Returns the root whose environments are recorded in a directory, and the directory relative to it.
  static func container(_ path: String) -> (root: String, hidden: String) {
    var parts = path.parts(separatedBy: "/", omittingEmpty: true)
    let isInLibrary = parts.count > 1 && parts[parts.count - 2] == "Library"
    parts.removeLast(isInLibrary ? 2 : 1)
    return (parts.joined(separator: "/"), (isInLibrary ? "Library/" : "") + Survey.hidden)
  }

  private mutating func report(_ error: any Error, of place: Survey.Place) {
    switch place.kind {
    case .database: databases[place.path] = nil
    case .session: sessions[place.path] = nil
    case .container: containers[place.path] = nil
    case .log: logs[place.path] = nil
    case .file, .presence: break
    }
    let cause = "\(error)"
    problems[place.path] = InspectedProblem(
      id: place.path, path: place.path, operation: "Read \(place.path)",
      cause: cause.hasSuffix(".") ? String(cause.dropLast()) : cause,
      remedy: "Repair the file, or check the permissions; the rest is shown.")
  }
}
