import AppGroups
import FileSignals

/// The record of a switch, which is written before the first move.
///
/// An entry with the same path may be on both lists. The location of each entry shows how far the switch went, because
/// each move is one `rename` and nothing is ever overwritten. So single steps need not be recorded.
struct SwitchJournal: Codable, Sendable, Equatable {
  /// A directory in the hidden directory that is moved aside for another one.
  struct Replacement: Codable, Sendable, Equatable {
    let path: EntryPath
    let old: EntryPath
  }

  static let format = FileFormat<SwitchJournal>.record(FileVersions(SwitchJournal.self))

  /// The revision of the state that completes the switch.
  let revision: Int

  /// The directories that receive the leaving entries and contain the arriving ones, relative to the hidden directory.
  let leavingTo: EntryPath
  let arrivingFrom: EntryPath?

  /// The leaving and the arriving entries, relative to the root.
  let leaving: [EntryPath]
  let arriving: [EntryPath]

  var replacement: Replacement?
}

extension SwitchJournal {
  /// Returns the reason why this package cannot have written the journal, or `nil` if it may have.
  ///
  /// The paths are moved and removed, so a journal of another program must not name any outside the root.
  ///
  /// - Parameter hidden: The hidden directory, relative to the root.
  /// - Returns: The reason, which continues the name of the file.
  func problem(hidden: EntryPath) -> String? {
    var areKnown =
      ContainerLayout.isPlace(leavingTo, named: "data", ofDiscarded: false)
      || ContainerLayout.isPlace(leavingTo, named: "data", ofDiscarded: true)
    if let arrivingFrom {
      areKnown = areKnown && ContainerLayout.isPlace(arrivingFrom, named: "data", ofDiscarded: false)
    }
    if let replacement {
      let (path, old) = (replacement.path, replacement.old)
      areKnown =
        areKnown && ContainerLayout.isPlace(path, named: ContainerLayout.settings, ofDiscarded: false)
        && ContainerLayout.isPlace(old, named: "old", ofDiscarded: true)
    }
    if !areKnown { return "it moves files to or from a directory of no environment" }
    for path in leaving + arriving {
      if let problem = path.problem { return "it moves \(path.text.debugDescription): \(problem)" }
      if path == hidden || path.isAncestor(of: hidden) || hidden.isAncestor(of: path) {
        return "it moves \(path.text.debugDescription), which belongs to no environment"
      }
    }
    return nil
  }
}

/// A step of a change of a root, at which tests can end the process.
package enum SwitchStep: Sendable, Hashable {
  /// Unsaved state was written for the old environment.
  case flushed
  /// The journal is on the disk.
  case journalled
  /// One entry has left the root, has arrived in it, or was moved back.
  case left, arrived, returned
  /// The moves are on the disk.
  case synchronized
  /// The settings and cookies of the new environment are loaded.
  case loaded
  /// The new state is in place, which is the step that decides.
  case committed
  /// The backup of the state is in place, too.
  case backedUp
  /// The journal is removed.
  case finished
  /// The revision is raised, before the record of an environment is replaced.
  case raised
}

/// Determines the entries to move.
///
/// A directory is moved as a whole unless an entry in it stays.
struct SwitchPlan {
  let rules: ExcludeRules

  /// The directories of the root that stay, because entries in them stay.
  private(set) var opened: Set<EntryPath> = []

  /// Returns the entries of the root that belong to the active environment.
  mutating func leaving(_ root: Folder) throws(AppContainerError) -> [EntryPath] {
    var paths: [EntryPath] = []
    try look(at: .top, in: root, &paths)
    return paths
  }

  private mutating func look(
    at path: EntryPath, in root: Folder, _ paths: inout [EntryPath]
  ) throws(AppContainerError) {
    for name in try root.names(at: path) {
      let entry = path.appending(name)
      switch rules.verdict(on: entry) {
      case .stays: break
      case .moves where try holdsNamed(entry, in: root):
        opened.insert(entry)
        try look(at: entry, in: root, &paths)
      case .moves: paths.append(entry)
      case .opens:
        let isKept = try staysOpen(entry, in: root)
        guard try isKept ? true : holdsNamed(entry, in: root) else {
          paths.append(entry)
          continue
        }
        opened.insert(entry)
        try look(at: entry, in: root, &paths)
      }
    }
  }

  /// Returns whether a directory stays, which it does only if it contains an entry that stays.
  ///
  /// A link in its place is not entered. It is moved like any other entry.
  private func staysOpen(_ path: EntryPath, in root: Folder) throws(AppContainerError) -> Bool {
    guard try root.status(of: path)?.kind == .directory else { return false }
    if rules.fixed.contains(path) { return true }
    for entry in rules.stayingEntries(below: path) where try root.status(of: entry) != nil { return true }
    return false
  }

  /// Returns whether an entry is a directory that contains an entry that stays because of its name.
  ///
  /// It reads all directories below, but only if there are such names.
  private func holdsNamed(_ path: EntryPath, in root: Folder) throws(AppContainerError) -> Bool {
    guard !rules.names.isEmpty, try root.status(of: path)?.kind == .directory else { return false }
    for name in try root.names(at: path) {
      if rules.names.contains(name) { return true }
      if try holdsNamed(path.appending(name), in: root) { return true }
    }
    return false
  }

  /// Returns the entries of an environment to move into the root; call it after ``leaving(_:)``.
  ///
  /// - Parameters:
  ///   - data: The directory that contains the entries.
  ///   - root: The root.
  /// - Returns: The entries.
  /// - Throws: ``AppContainerError``, also if an entry could not leave the root again.
  func arriving(from data: Folder, into root: Folder) throws(AppContainerError) -> [EntryPath] {
    // A directory that cannot be searched could arrive as a whole, and each later switch would fail because of it.
    var wayOut = SwitchPlan(rules: rules)
    _ = try wayOut.leaving(data)
    var paths: [EntryPath] = []
    try look(at: .top, in: data, into: root, &paths)
    return paths
  }

  private func look(
    at path: EntryPath, in data: Folder, into root: Folder, _ paths: inout [EntryPath]
  ) throws(AppContainerError) {
    for name in try data.names(at: path) {
      let entry = path.appending(name)
      // Only an archive from another source can contain the entry, and no switch would ever put it away again.
      if rules.permanent.contains(entry) { continue }
      if opened.contains(entry) {
        guard try data.status(of: entry)?.kind == .directory else {
          let reason = "it contains excluded files, and the environment has a file of the same name"
          throw .blocked(root.place(of: entry), reason: reason)
        }
        try look(at: entry, in: data, into: root, &paths)
      } else if case .stays = rules.verdict(on: entry), try root.status(of: entry) != nil {
        // The entry was put away before its path was excluded, and the root now has the shared one.
        continue
      } else {
        paths.append(entry)
      }
    }
  }
}
