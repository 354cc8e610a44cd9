import AppGroups
import FileSignals
import Foundation

/// Where the things of a root lie.
///
/// ```
/// <root>/…                              what is live: the files of the active environment
/// <root>/.containers/state.json         which environments there are, which is active, what is excluded
/// <root>/.containers/journal.json       only while files are moved: what is moved where
/// <root>/.containers/<uuid>/info.json   name and description
/// <root>/.containers/<uuid>/data/…      the files, while the environment is not active
/// <root>/.containers/<uuid>/settings/…  what is kept outside of files, while the environment is not active
/// <root>/.containers/aside/…            what was in the way of a move, and belongs to no environment
/// ```
struct ContainerLayout: Sendable, Hashable {
  /// The root, free of symbolic links.
  let root: URL

  /// The hidden directory, from the root on.
  let hidden: EntryPath

  /// Directories that the system holds on to, so that only what is in them can be switched.
  let fixed: [EntryPath]

  /// What is never switched, besides the hidden directory.
  let permanent: [EntryPath]

  init(root: URL, hidden: String = SwitchedRoots.recordDirectories[0], fixed: [String] = [], permanent: [String] = []) {
    self.root = root
    self.hidden = EntryPath(hidden)
    self.fixed = fixed.map { EntryPath($0) }
    // Locks of files in the root itself, and who is there, must stay one for all; the others belong to the system.
    self.permanent = ([hidden] + SwitchedRoots.permanentNames + permanent).map { EntryPath($0) }
  }

  var hiddenURL: URL { root.appending(path: hidden.text, directoryHint: .isDirectory) }
  var stateURL: URL { hiddenURL.appending(path: "state.json", directoryHint: .notDirectory) }
  var backupURL: URL { hiddenURL.appending(path: "state.backup.json", directoryHint: .notDirectory) }
  var journalURL: URL { hiddenURL.appending(path: "journal.json", directoryHint: .notDirectory) }

  /// The directory of an environment, or of one that is being made or removed.
  func directory(_ name: String) -> URL { hiddenURL.appending(path: name, directoryHint: .isDirectory) }

  func infoURL(_ name: String) -> URL {
    directory(name).appending(path: Self.info, directoryHint: .notDirectory)
  }

  func settingsURL(_ name: String) -> URL {
    directory(name).appending(path: Self.settings, directoryHint: .isDirectory)
  }

  func settingsURL(_ id: UUID) -> URL { settingsURL(id.uuidString) }

  static let info = "info.json"
  static let settings = "settings"

  /// The files of an environment that is not active, from the hidden directory on.
  static func data(_ name: String) -> EntryPath { EntryPath("\(name)/data") }

  static func data(_ id: UUID) -> EntryPath { data(id.uuidString) }

  /// The directory of files that belong to no environment.
  static let aside = EntryPath("aside")

  /// A name for the directory of an environment that is being made.
  static func unfinished(_ id: UUID) -> String { ".new-\(id.uuidString)" }

  /// A name for the directory of an environment that is being removed.
  static func discarded() -> String { ".gone-\(UUID.random().uuidString)" }

  /// Whether a directory is left over from something that was not finished.
  static func isLeftover(_ name: String) -> Bool { name.hasPrefix(".new-") || name.hasPrefix(".gone-") }

  /// The identifier of the environment with a directory of this name; `nil` if no environment has such a directory.
  static func id(_ name: String) -> UUID? {
    guard let id = UUID(uuidString: name), id.uuidString == name else { return nil }
    return id
  }
}
