#if canImport(Darwin)
  import Foundation

  extension AppGroupsContainer {
    /// Returns the container that the system provides for the group.
    static func defaultDirectory(for groupIdentifier: String) throws(AppGroupsError) -> URL {
      guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: groupIdentifier) else {
        throw .noGroup(
          groupIdentifier,
          reason: "this app does not belong to the group; add the group to its App Groups entitlement"
        )
      }
      return try GroupDirectory.make(url)
    }

    /// `nil`, because the caches of a group are in its container.
    static func defaultCaches(for groupIdentifier: String) -> URL? { nil }
  }
#endif
