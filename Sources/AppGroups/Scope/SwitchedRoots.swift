import CLibrary
package import FileSignals
package import Foundation

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

  /// The names that are not switched in a group's directory.
  ///
  /// The system's preferences service owns the group's preferences, too. A value there counts as switched all the same,
  /// because nothing in the directory marks a group's root.
  package static let permanentNamesInGroup = ["Library/Preferences"]

  /// The part of an `AppContainer`'s state that lists the paths that stay in place.
  private struct State: Decodable {
    let excludes: [String]?
  }

  /// Returns the root whose switches affect a location.
  ///
  /// - Parameter url: The location, with symbolic links resolved, which need not exist.
  /// - Returns: The root, or `nil` if the location is not switched.
  /// - Throws: ``DurableFileError`` if that is unknown.
  /// - Complexity: Two accesses to the file system for each directory above the location.
  package static func root(switching url: URL) throws(DurableFileError) -> URL? {
    let path = url.standardizedFileURL.path
    let records = Array(zip(recordDirectories, [[], permanentNamesInSandbox]))
    var directory = path[...]
    // Strings, not URLs: this runs for each shared file that is opened, and URLs took most of the time.
    while directory != "/", let slash = directory.utf8.lastIndex(of: UInt8(ascii: "/")) {
      directory = path[..<slash]
      for (record, permanent) in records {
        let state = "\(directory)/\(record)/state.json"
        guard try exists(state) else { continue }
        let names = path[slash...].parts(separatedBy: "/", omittingEmpty: true)
        let root = URL(filePath: "\(directory)/", directoryHint: .isDirectory)
        let staying = permanentNames + permanent + [record] + (try excludes(in: URL(filePath: state)))
        if stays(names, staying) { return nil }
        // The records of a sandbox are one directory below its root, whose own paths are excluded.
        guard root.lastPathComponent == "Library" else { return root }
        return stays(["Library"] + names, staying + permanentNamesInSandbox) ? nil : root
      }
    }
    return nil
  }

  private static func exists(_ state: String) throws(DurableFileError) -> Bool {
    if FileStatus.ifReadable(path: state) != nil { return true }
    // A sandbox may hide the directories above the ones that it permits.
    if errno == EPERM { return false }
    if let error = DurableFileError(unlessAbsent: errno, "inspect", URL(filePath: state)) { throw error }
    return false
  }

  private static func stays(_ names: [String], _ staying: [String]) -> Bool {
    let path = names.joined(separator: "/")
    return staying.contains { staying in
      if let name = nameAtAnyDepth(staying) { return names.contains(name) }
      return path.utf8.elementsEqual(staying.utf8) || path.isPath(below: staying)
    }
  }

  /// Returns the name that stays at any depth, if an excluded path is such a rule: `**/name`.
  package static func nameAtAnyDepth(_ path: String) -> String? {
    guard path.begins(with: "**/") else { return nil }
    let name = String(path.unicodeScalars.dropFirst(3))
    return name.holds("/") ? nil : name
  }

  /// Returns the paths that a state excludes from switching; none if it is damaged.
  private static func excludes(in state: URL) throws(DurableFileError) -> [String] {
    let data = try DurableFile.read(state)
    return tolerating(try JSONDecoder().decode(State.self, from: data).excludes ?? [], else: [])
  }
}
