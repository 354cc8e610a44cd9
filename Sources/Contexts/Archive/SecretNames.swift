import FileSignals
import Foundation

/// The names of secrets, which are unique to an archive within a store.
enum SecretNames {
  /// Returns the prefix of the names of all secrets of an archive.
  ///
  /// - Parameters:
  ///   - root: The root of the archive.
  ///   - location: The place of the archive.
  ///   - isShared: A Boolean value that indicates whether the store is outside the root, so that other roots may use
  ///     it.
  /// - Returns: A string that distinguishes the archive from others. It may change when the root is moved. Names in the
  ///   archive with the old prefix remain valid.
  static func prefix(
    root: URL, location: ContextConfiguration.ArchiveLocation, isShared: Bool
  ) -> String {
    var place = isShared ? root.resolvingSymlinksInPath().standardizedFileURL.path : ""
    if case .file(let url) = location { place += "\n\(url.lastPathComponent)" }
    return "session-\(SHA256.digest(Array(place.utf8)).prefix(8).hexadecimal)-"
  }
}
