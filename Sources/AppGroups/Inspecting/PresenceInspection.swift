package import FileSignals
package import Foundation

/// Reads the announcements of a presence, without removing the files of processes that have ended.
package enum PresenceInspection {
  /// The content of an announcement.
  package struct Announcement: Sendable {
    package let id: UUID
    package let content: Data
    /// A Boolean value that indicates whether a process keeps the file locked, in any namespace of processes.
    package let isHeld: Bool
    /// A Boolean value that indicates whether the process is suspended, and still exists.
    package let isSuspended: Bool
  }

  /// Reads the files of all announcements.
  ///
  /// - Parameter directory: The directory of the presence.
  /// - Returns: The announcements, in the order of their identifiers.
  /// - Throws: ``DurableFileError`` if the directory cannot be read.
  package static func announcements(in directory: URL) throws(DurableFileError) -> [Announcement] {
    (try DirectoryListing.names(in: directory) ?? []).sorted().compactMap { name in
      guard let id = UUID(uuidString: name), id.uuidString == name else { return nil }
      let url = directory.appending(path: name, directoryHint: .notDirectory)
      guard let status = FileStatus.ifReadable(path: url.path, followsLinks: false), status.kind == .regular else {
        return nil
      }
      // It was withdrawn in between, or belongs to another user.
      return tolerating(else: nil) {
        let content = try DurableFile.read(url, limit: 1 << 20)
        return Announcement(
          id: id, content: content, isHeld: try isHeld(url), isSuspended: isSuspended(content))
      }
    }
  }

  /// Returns a Boolean value that indicates whether a process holds the lock of an announcement.
  ///
  /// The test takes a shared lock for a moment, as the processes of the presence do, so it delays none of them.
  private static func isHeld(_ url: URL) throws(DurableFileError) -> Bool {
    guard let lock = FileLock(url.path, .reading, of: url) else { throw DurableFileError(errno, "open", url) }
    return try !lock.tryLock(.shared)
  }

  private static func isSuspended(_ content: Data) -> Bool {
    tolerating(try JSONDecoder().decode(PresenceSuspension.self, from: content).isPresent, else: false)
  }
}
