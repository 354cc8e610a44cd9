import AppGroups
import FileSignals
import Foundation

/// The places in a root.
///
/// ```
/// <root>/…                              the files of the active environment
/// <root>/.containers/state.json         the environments, the active one, and the excluded paths
/// <root>/.containers/journal.json       the moves of a switch, only while files are moved
/// <root>/.containers/<uuid>/info.json   the name and the description
/// <root>/.containers/<uuid>/data/…      the files, while the environment is not active
/// <root>/.containers/<uuid>/settings/…  settings outside of the files, while the environment is not active
/// <root>/.containers/aside/…            entries that were in the way of a move, and belong to no environment
/// ```
struct ContainerLayout: Sendable, Hashable {
  /// The root, free of symbolic links.
  let root: URL

  /// The hidden directory, from the root on.
  let hidden: EntryPath

  /// Directories that the system owns, so that only their contents can be switched.
  let fixed: [EntryPath]

  /// The paths that are never switched, besides the hidden directory.
  let permanent: [EntryPath]

  init(root: URL, hidden: String = SwitchedRoots.recordDirectories[0], fixed: [String] = [], permanent: [String] = []) {
    self.root = root
    self.hidden = EntryPath(hidden)
    self.fixed = fixed.map { EntryPath($0) }
    // All environments share the locks of files in the root, and presence. The other paths belong to the system.
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

  /// Returns whether a directory is a leftover of an unfinished operation.
  static func isLeftover(_ name: String) -> Bool { name.hasPrefix(".new-") || name.hasPrefix(".gone-") }

  /// The identifier of the environment with a directory of this name; `nil` if no environment has such a directory.
  static func id(_ name: String) -> UUID? {
    guard let id = UUID(uuidString: name), id.uuidString == name else { return nil }
    return id
  }
}
