import AppGroups
import FileSignals
import Foundation

/// The paths in a root.
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

  /// The hidden directory, relative to the root.
  let hidden: EntryPath

  /// Directories that the system owns, so that only their contents can be switched.
  let fixed: [EntryPath]

  /// The paths that are never switched, in addition to the hidden directory.
  let permanent: [EntryPath]

  init(root: URL, hidden: String = SwitchedRoots.recordDirectories[0], fixed: [String] = [], permanent: [String] = []) {
    self.root = root
    self.hidden = EntryPath(hidden)
    self.fixed = fixed.map { EntryPath($0) }
    // All environments share presence and the locks of files in the root. The other paths belong to the system.
    self.permanent = ([hidden] + SwitchedRoots.permanentNames + permanent).map { EntryPath($0) }
  }

  /// Returns the layout of an app in Apple's sandbox.
  static func sandbox(_ root: URL) -> ContainerLayout {
    ContainerLayout(
      root: root,
      // The root belongs to the system.
      hidden: SwitchedRoots.recordDirectories[1],
      fixed: ["Documents", "Library", "Library/Application Support", "Library/Caches"],
      // The system's preferences service owns these files, so the preferences are switched as settings.
      permanent: SwitchedRoots.permanentNamesInSandbox
    )
  }

  /// Returns the layout of a directory that several apps of a group share.
  static func group(_ root: URL) -> ContainerLayout {
    ContainerLayout(root: root, permanent: SwitchedRoots.permanentNamesInGroup)
  }

  var hiddenURL: URL { root.appending(path: hidden.text, directoryHint: .isDirectory) }
  var stateURL: URL { hiddenURL.appending(path: "state.json", directoryHint: .notDirectory) }
  var backupURL: URL { hiddenURL.appending(path: "state.backup.json", directoryHint: .notDirectory) }
  var journalURL: URL { hiddenURL.appending(path: "journal.json", directoryHint: .notDirectory) }

  /// Returns the directory of an environment, or of one that is being created or removed.
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

  /// Returns the directory of an inactive environment's files, relative to the hidden directory.
  static func data(_ name: String) -> EntryPath { EntryPath("\(name)/data") }

  static func data(_ id: UUID) -> EntryPath { data(id.uuidString) }

  /// The directory of files that belong to no environment.
  static let aside = EntryPath("aside")

  /// Returns a name for the directory of an environment that is being created.
  static func unfinished(_ id: UUID) -> String { ".new-\(id.uuidString)" }

  /// Returns a name for the directory of an environment that is being removed.
  static func discarded() -> String { discardedPrefix + UUID.random().uuidString }

  private static let discardedPrefix = ".gone-"

  /// Returns whether a directory is a leftover of an unfinished operation.
  static func isLeftover(_ name: String) -> Bool { name.hasPrefix(".new-") || name.hasPrefix(discardedPrefix) }

  /// Returns whether a path, relative to the hidden directory, is the one of an entry in the directory of an
  /// environment.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - name: The name of the entry.
  ///   - ofDiscarded: Pass `true` for the directory of an environment that is being removed.
  /// - Returns: `false` for any other path.
  static func isPlace(_ path: EntryPath, named name: String, ofDiscarded: Bool) -> Bool {
    let directory = path.parent.text
    guard path == EntryPath("\(directory)/\(name)") else { return false }
    if !ofDiscarded { return id(directory) != nil }
    return directory.hasPrefix(discardedPrefix) && id(String(directory.dropFirst(discardedPrefix.count))) != nil
  }

  /// Returns the identifier of the environment with this directory name, or `nil` if the name is not an identifier.
  static func id(_ name: String) -> UUID? {
    guard let id = UUID(uuidString: name), self.name(id) == name else { return nil }
    return id
  }

  /// Returns the directory name of an environment, which is the `uuidString` of its identifier.
  ///
  /// Each change writes the names of all environments, and `uuidString` takes twenty times as long as this.
  static func name(_ id: UUID) -> String {
    let digits: StaticString = "0123456789ABCDEF"
    return withUnsafeBytes(of: id.uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var count = 0
        for (index, byte) in bytes.enumerated() {
          if index == 4 || index == 6 || index == 8 || index == 10 {
            text[count] = UInt8(ascii: "-")
            count += 1
          }
          // Sound: half a byte is less than 16, the number of digits.
          text[count] = digits.utf8Start[Int(byte >> 4)]
          text[count + 1] = digits.utf8Start[Int(byte & 0xF)]
          count += 2
        }
        return count
      }
    }
  }
}
