import FileSignals
import Foundation

/// The layout of the databases of all users.
struct StoreLayout: Sendable {
  private let persistenceRoot: URL
  let cacheRoot: URL

  init(root: URL, cacheRoot: URL) {
    persistenceRoot = root.appending(path: "users", directoryHint: .isDirectory)
    self.cacheRoot = cacheRoot
  }

  /// Returns the directory of a user's cache or, for `nil`, of the cache without a user.
  func cacheDirectory(of userID: String?) -> URL { directory(of: userID, in: cacheRoot) }

  /// Returns the directory of a user's persistent database or, for `nil`, of the one without a user.
  func persistenceDirectory(of userID: String?) -> URL { directory(of: userID, in: persistenceRoot) }

  /// Returns whether there are databases of a user.
  ///
  /// - Throws: ``DurableFileError`` if that is unknown.
  func hasStores(of userID: String) throws(DurableFileError) -> Bool { try !existingDirectories(of: userID).isEmpty }

  /// Removes the databases of a user, which must be closed.
  func purge(_ userID: String) throws(ContextError) {
    let existing = try translating(existingDirectories(of: userID)) { (error: DurableFileError) in
      ContextError.archive(path: persistenceRoot.path, operation: "find the databases in", reason: "\(error)")
    }
    for directory in existing {
      try translating(FileManager.default.removeItem(at: directory)) { (error: any Error) in
        ContextError.archive(path: directory.path, operation: "remove", reason: "\(error)")
      }
    }
  }

  private func existingDirectories(of userID: String) throws(DurableFileError) -> [URL] {
    try existingDirectories(of: userID, in: cacheRoot) + existingDirectories(of: userID, in: persistenceRoot)
  }

  private func directory(of userID: String?, in root: URL) -> URL {
    guard let userID else { return root.appending(path: UserDirectory.noUser, directoryHint: .isDirectory) }
    do throws(DurableFileError) {
      if let directory = try existingDirectories(of: userID, in: root).first { return directory }
    } catch {
      // Opening a database in the directory reports the error.
    }
    return root.appending(path: UserDirectory.name(for: userID), directoryHint: .isDirectory)
  }

  /// Returns the directories of a user: first the one named after the composed form of the identity, then those named
  /// after other forms.
  private func existingDirectories(of userID: String, in root: URL) throws(DurableFileError) -> [URL] {
    let name = UserDirectory.name(for: userID)
    var names = [name]
    // An ASCII text has only one form.
    if userID.utf8.contains(where: { $0 >= 0x80 }) {
      let others = try DirectoryListing.names(in: root) ?? []
      names += others.filter { $0 != name && UserDirectory.isName($0, for: userID) }.sorted()
    }
    let directories = try names.map { (name) throws(DurableFileError) -> URL? in
      let directory = root.appending(path: name, directoryHint: .isDirectory)
      return try FileStatus(path: directory.path) == nil ? nil : directory
    }
    return directories.compactMap(\.self)
  }
}

/// The names of users' directories, for identities that may be any string.
///
/// ``EncodedName`` makes the names: no name leads out of the directory, none is too long, and no two identities share a
/// name. Two strings that Unicode declares equivalent are one identity, so the composed form (NFC) is encoded.
enum UserDirectory {
  /// The name of the directory of the context without a user.
  ///
  /// No user's directory has this name.
  static let noUser = "__standard__"

  /// The maximum length of a name, which leaves room for a suffix.
  static let longestName = 150

  /// Returns the name of a user's directory.
  static func name(for id: String) -> String {
    exactName(for: id.precomposedStringWithCanonicalMapping)
  }

  /// Returns whether a directory may be named after any form of an identity, as earlier versions did.
  static func isName(_ name: String, for id: String) -> Bool {
    // Swift compares texts by Unicode equivalence. The text behind a digest is unknown, so the usual forms are tried.
    if let text = EncodedName.decoded(name), text == id { return name == exactName(for: text) }
    return [id, id.decomposedStringWithCanonicalMapping].contains { exactName(for: $0) == name }
  }

  /// Returns the name of a directory for the exact bytes of an identity.
  private static func exactName(for id: String) -> String {
    // No encoded byte looks like the first name, and an encoded underscore never looks like the second.
    if id.isEmpty { return "%" }
    if id == noUser { return "%5f_standard__" }
    return EncodedName.encoded(id, limit: longestName)
  }
}
