package import Foundation
import FileSignals

/// Finds directories whose contents an `AppContainer` switches, by the records that it keeps in them.
///
/// A value in such a directory that is opened without its scope would not follow a switch. It would show and write data
/// of another environment, so it is refused.
package enum SwitchedRoots {
  /// The directories, relative to a root, in which an `AppContainer` keeps its records.
  package static let recordDirectories = [".containers", "Library/.containers"]

  /// The names in a root that belong to the system or to all environments, and are never switched.
  package static let permanentNames = [
    ".shared", "Presence", "lost+found", ".com.apple.mobile_container_manager.metadata.plist",
  ]

  /// The names that are not switched in a root with the layout of an app in Apple's sandbox.
  package static let permanentNamesInSandbox = ["tmp", "SystemData", "Library/Preferences", "Library/SplashBoard"]

  /// The part of an `AppContainer`'s state that lists the paths that stay in place.
  private struct State: Decodable {
    let excludes: [String]?
  }

  /// Returns the root whose switches affect a location.
  ///
  /// - Parameter url: The location, with symbolic links resolved, which need not exist.
  /// - Returns: The root, or `nil` if the location is not switched.
  /// - Complexity: One access to the file system for each directory above the location.
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
      // The records of a sandbox are one directory below its root.
      let sandbox = permanentNames + permanentNamesInSandbox + [recordDirectories[1]] + excludes
      return stays(["Library"] + names, sandbox) ? nil : directory
    }
    return nil
  }

  private static func stays(_ names: [String], _ staying: [String]) -> Bool {
    let path = names.joined(separator: "/")
    return staying.contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  /// Returns the paths that a state excludes from switching; none if it cannot be read.
  private static func excludes(in state: URL) -> [String] {
    do {
      return try JSONDecoder().decode(State.self, from: DurableFile.read(state)).excludes ?? []
    } catch {
      return []
    }
  }
}
