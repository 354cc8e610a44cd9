import AppGroups

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
