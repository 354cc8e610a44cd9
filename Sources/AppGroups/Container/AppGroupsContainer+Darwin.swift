#if canImport(Darwin)
  import Foundation

  extension AppGroupsContainer {
    /// Returns the container that the system provides for the group.
    static func defaultDirectory(for groupIdentifier: String) throws(AppGroupsError) -> URL {
      guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: groupIdentifier) else {
        throw .noGroup(
          groupIdentifier,
          reason: "the system knows no such group for this app; add it to the app's App Groups entitlement"
        )
      }
      return try GroupDirectory.make(url)
    }
  }
#endif
