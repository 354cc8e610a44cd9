package import Foundation
import FileSignals

/// Finds directories whose contents an `AppContainer` switches, by the records that it keeps in them.
///
/// A value that lies in such a directory and is opened without its scope would not follow a switch: it would show, and
/// write, what belongs to another environment. So it is refused.
package enum SwitchedRoots {
  /// The places, from a root on, where an `AppContainer` keeps its records.
  package static let recordDirectories = [".containers", "Library/.containers"]

  /// The names in a root that belong to the system or to all environments, and are never switched.
  package static let permanentNames = [
    ".shared", "Presence", "lost+found", ".com.apple.mobile_container_manager.metadata.plist",
  ]

  /// The names that are not switched in a root with the layout of an app in Apple's sandbox.
  package static let permanentNamesInSandbox = ["tmp", "SystemData", "Library/Preferences", "Library/SplashBoard"]

  /// The part of an `AppContainer`'s state that says what stays in place.
  private struct State: Decodable {
    let excludes: [String]?
  }

  /// Finds the root that switches what lies at a place.
  ///
  /// - Parameter url: The place, with symbolic links resolved, which need not exist.
  /// - Returns: The root, or `nil` if nothing switches the place.
  /// - Complexity: One look at the file system for each directory above the place.
  package static func root(switching url: URL) -> URL? {
    var names: [String] = []
    var directory = url.standardizedFileURL
    while directory.pathComponents.count > 1 {
      names.insert(directory.lastPathComponent, at: 0)
      directory.deleteLastPathComponent()
      let state = directory.appending(path: "\(recordDirectories[0])/state.json", directoryHint: .notDirectory)
      guard FileStatus(path: state.path) != nil else { continue }
      let excludes = excludes(in: state)
      if stays(names, permanentNames + [recordDirectories[0]] + excludes) { return nil }
      guard directory.lastPathComponent == "Library" else { return directory }
      // The records of a sandbox lie one directory below its root.
      let sandbox = permanentNames + permanentNamesInSandbox + [recordDirectories[1]] + excludes
      return stays(["Library"] + names, sandbox) ? nil : directory
    }
    return nil
  }

  private static func stays(_ names: [String], _ staying: [String]) -> Bool {
    let path = names.joined(separator: "/")
    return staying.contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  /// The paths that a state excludes from switching; none if it cannot be read.
  private static func excludes(in state: URL) -> [String] {
    do {
      return try JSONDecoder().decode(State.self, from: DurableFile.read(state)).excludes ?? []
    } catch {
      return []
    }
  }
}
