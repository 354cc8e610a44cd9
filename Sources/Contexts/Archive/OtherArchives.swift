import FileSignals
import Foundation

/// The archives in a root that the configuration does not name.
///
/// A process with another configuration than the others would find no user, and archive sessions of its own.
struct OtherArchives: Sendable {
  /// The size above which a file is not taken for an archive.
  ///
  /// Real archives are much smaller.
  private static let largestSize = 1 << 26

  let root: URL
  let location: ContextConfiguration.ArchiveLocation
  /// A Boolean value that indicates whether the root is in a scope.
  var isInScope = false

  /// Returns the place of the archive if it is a database.
  static func database(in root: URL) -> URL { root.appending(path: "session.sqlite", directoryHint: .notDirectory) }

  /// Returns the path of another archive that is in use, or `nil` if there is none.
  ///
  /// - Throws: ``DurableFileError`` if that is unknown.
  func pathInUse() throws(DurableFileError) -> String? {
    guard case .file(let own) = location else { return try fileInUse(besides: nil) }
    let identity = try FileStatus(path: own.path)?.identity
    let database = Self.database(in: root)
    if let status = try FileStatus(path: database.path), status.identity != identity, isInUse(database) {
      return database.path
    }
    return try fileInUse(besides: identity)
  }

  private func isInUse(_ database: URL) -> Bool {
    let archive = DatabaseArchive(url: database, isInScope: isInScope)
    defer { archive.close() }
    // Only archives have this name, and a newer version may be able to read it.
    return tolerating(try archive.read().revision > 0, else: true)
  }

  private func fileInUse(besides own: FileIdentity?) throws(DurableFileError) -> String? {
    for name in (try DirectoryListing.names(in: root) ?? []).sorted() where !name.contains(".kept-") {
      let url = root.appending(path: name, directoryHint: .notDirectory)
      guard let status = try FileStatus(path: url.path), status.kind == .regular, status.identity != own,
        status.size < Self.largestSize
      else { continue }
      do {
        if try FileArchive(url: url).read().revision > 0 { return url.path }
      } catch {
        // The file is not an archive.
      }
    }
    return nil
  }
}
