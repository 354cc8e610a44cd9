import FileSignals
import Foundation

/// The archives in a root that the configuration does not name.
///
/// A process that names another archive than the rest would find nobody logged in, and archive sessions of its own.
struct OtherArchives: Sendable {
  /// No archive of a real application is as large.
  private static let largestSize = 1 << 26

  let root: URL
  let location: ContextConfiguration.ArchiveLocation
  /// A Boolean value that indicates whether the root is in a scope.
  var isInScope = false

  /// The place of the archive if it is a database.
  static func database(in root: URL) -> URL { root.appending(path: "session.sqlite", directoryHint: .notDirectory) }

  /// The path of another archive that has been written; `nil` if there is none.
  func pathInUse() -> String? {
    guard case .file(let own) = location else { return fileInUse(besides: nil) }
    let identity = FileStatus(path: own.path)?.identity
    let database = Self.database(in: root)
    if let status = FileStatus(path: database.path), status.identity != identity, isInUse(database) {
      return database.path
    }
    return fileInUse(besides: identity)
  }

  private func isInUse(_ database: URL) -> Bool {
    let archive = DatabaseArchive(url: database, isInScope: isInScope)
    defer { archive.close() }
    do {
      return try archive.read().revision > 0
    } catch {
      // Nothing else has that name, and a newer version may be able to read it.
      return true
    }
  }

  private func fileInUse(besides own: FileIdentity?) -> String? {
    for name in (DirectoryListing.names(in: root) ?? []).sorted() where !name.contains(".kept-") {
      let url = root.appending(path: name, directoryHint: .notDirectory)
      guard let status = FileStatus(path: url.path), status.kind == .regular, status.identity != own,
        status.size < Self.largestSize
      else { continue }
      do {
        if try FileArchive(url: url).read().revision > 0 { return url.path }
      } catch {
        // It is something else.
      }
    }
    return nil
  }
}
