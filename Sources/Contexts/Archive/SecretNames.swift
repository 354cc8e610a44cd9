import FileSignals
import Foundation

/// Names of secrets, which no other archive uses in the same store.
enum SecretNames {
  /// The beginning of the names of all secrets of an archive.
  ///
  /// - Parameters:
  ///   - root: The root of the archive.
  ///   - location: The place of the archive.
  ///   - isShared: Whether the store lies elsewhere than in the root, so that other roots may use it.
  /// - Returns: A text that tells the archive from others. It may change when the root is moved, and then the names that
  ///   are in the archive still count.
  static func prefix(
    root: URL, location: ContextConfiguration.ArchiveLocation, isShared: Bool
  ) -> String {
    var place = isShared ? root.resolvingSymlinksInPath().standardizedFileURL.path : ""
    if case .file(let url) = location { place += "\n\(url.lastPathComponent)" }
    let digest = SHA256.digest(Array(place.utf8)).prefix(8).map { String(0x100 + Int($0), radix: 16).dropFirst() }
    return "session-\(digest.joined())-"
  }
}
