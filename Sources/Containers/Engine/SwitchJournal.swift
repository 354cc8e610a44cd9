import AppGroups

/// A move of files that has been begun, as it is written down before the first.
///
/// An entry of the same path may be on both lists. Where it is found tells what has happened to it, because each move
/// is one `rename` and nothing is ever overwritten; so no step needs to be written down on its own.
struct SwitchJournal: Codable, Sendable, Equatable {
  /// A directory of the hidden one that is put aside for another.
  struct Replacement: Codable, Sendable, Equatable {
    let path: EntryPath
    let old: EntryPath
  }

  static let format = FileFormat<SwitchJournal>.record(FileVersions(SwitchJournal.self))

  /// The revision of the state that says that all is done.
  let revision: Int

  /// Where what is live goes, and where comes from what takes its place; from the hidden directory on.
  let leavingTo: EntryPath
  let arrivingFrom: EntryPath?

  /// What goes and what comes, from the root on.
  let leaving: [EntryPath]
  let arriving: [EntryPath]

  var replacement: Replacement?
}
