package import FileSignals
package import Foundation

/// Reads the announcements of a presence, without removing the files of processes that have ended.
package enum PresenceInspection {
  /// The content of an announcement.
  package struct Announcement: Sendable {
    package let id: UUID
    package let content: Data
    /// The file that the announcing process keeps locked.
    package let file: FileIdentity
    /// A Boolean value that indicates whether the process is suspended, and still exists.
    package let isSuspended: Bool
  }

  /// Reads the files of all announcements.
  ///
  /// - Parameter directory: The directory of the presence.
  /// - Returns: The announcements, in the order of their identifiers.
  package static func announcements(in directory: URL) -> [Announcement] {
    (DirectoryListing.names(in: directory) ?? []).sorted().compactMap { name in
      guard let id = UUID(uuidString: name), id.uuidString == name else { return nil }
      let url = directory.appending(path: name, directoryHint: .notDirectory)
      guard let status = FileStatus(path: url.path, followsLinks: false), status.kind == .regular else { return nil }
      do {
        let content = try DurableFile.read(url, limit: 1 << 20)
        return Announcement(
          id: id, content: content, file: status.identity, isSuspended: isSuspended(content))
      } catch {
        // It was withdrawn in between, or belongs to another user.
        return nil
      }
    }
  }

  private static func isSuspended(_ content: Data) -> Bool {
    do {
      return try JSONDecoder().decode(PresenceSuspension.self, from: content).isPresent
    } catch {
      return false
    }
  }
}
