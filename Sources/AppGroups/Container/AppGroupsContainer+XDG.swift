import FileSignals

#if !canImport(Darwin)
  package import Foundation

  extension AppGroupsContainer {
    /// Returns the directory with the name of the group, in the user's data directory.
    static func defaultDirectory(for groupIdentifier: String) throws(AppGroupsError) -> URL {
      let environment = ProcessInfo.processInfo.environment
      guard let data = dataHome(environment) else {
        throw .noGroup(
          groupIdentifier,
          reason: "neither XDG_DATA_HOME nor HOME is an absolute path; set one, or pass a directory of your own"
        )
      }
      let root = try GroupDirectory.make(data.appending(path: "AppGroups", directoryHint: .isDirectory))
      return try GroupDirectory.make(groupIdentifier, in: root)
    }

    /// Returns the directory with the name of the group, in the user's cache directory.
    static func defaultCaches(for groupIdentifier: String) -> URL? {
      directory("XDG_CACHE_HOME", or: ".cache", ProcessInfo.processInfo.environment)?
        .appending(path: "AppGroups/\(groupIdentifier)", directoryHint: .isDirectory)
    }

    /// Returns the user's data directory according to the XDG Base Directory Specification.
    package static func dataHome(_ environment: [String: String]) -> URL? {
      directory("XDG_DATA_HOME", or: ".local/share", environment)
    }

    /// Returns a base directory of the user, from an environment variable or in the home directory.
    ///
    /// Relative paths are ignored, as the specification demands.
    private static func directory(_ name: String, or path: String, _ environment: [String: String]) -> URL? {
      if let path = environment[name], path.begins(with: "/") {
        return URL(filePath: path, directoryHint: .isDirectory)
      }
      guard let home = environment["HOME"], home.begins(with: "/") else { return nil }
      return URL(filePath: home, directoryHint: .isDirectory).appending(path: path, directoryHint: .isDirectory)
    }
  }
#endif
