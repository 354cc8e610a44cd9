import FileSignals
import Foundation

/// Where the databases of all users lie.
struct StoreLayout: Sendable {
  private let persistenceRoot: URL
  private let cacheRoot: URL

  init(root: URL, cacheRoot: URL) {
    persistenceRoot = root.appending(path: "users", directoryHint: .isDirectory)
    self.cacheRoot = cacheRoot
  }

  /// The directory of the cache of a user; of the context without a user, if there is none.
  func cacheDirectory(of userID: String?) -> URL { directory(of: userID, in: cacheRoot) }

  /// The directory of the persistent database of a user; of the context without a user, if there is none.
  func persistenceDirectory(of userID: String?) -> URL { directory(of: userID, in: persistenceRoot) }

  /// Returns whether there are databases of a user.
  func hasStores(of userID: String) -> Bool { !existingDirectories(of: userID).isEmpty }

  /// Removes the databases of a user, which must not be open.
  func purge(_ userID: String) throws(ContextError) {
    for directory in existingDirectories(of: userID) {
      do {
        try FileManager.default.removeItem(at: directory)
      } catch {
        throw .archive(path: directory.path, operation: "remove", reason: "\(error)")
      }
    }
  }

  private func existingDirectories(of userID: String) -> [URL] {
    [cacheRoot, persistenceRoot].flatMap { directories(of: userID, in: $0) }.filter {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }

  private func directory(of userID: String?, in root: URL) -> URL {
    guard let userID else { return root.appending(path: UserDirectory.nobody, directoryHint: .isDirectory) }
    let directories = directories(of: userID, in: root)
    return directories.first { FileManager.default.fileExists(atPath: $0.path) } ?? directories[0]
  }

  /// The directories that a user may have: the one named after the composed identity, and then those that exist and are
  /// named after another form of it.
  private func directories(of userID: String, in root: URL) -> [URL] {
    let name = UserDirectory.name(for: userID)
    var names = [name]
    // A text of ASCII has one form.
    if userID.utf8.contains(where: { $0 >= 0x80 }) {
      let others = DirectoryListing.names(in: root) ?? []
      names += others.filter { $0 != name && UserDirectory.isName($0, for: userID) }.sorted()
    }
    return names.map { root.appending(path: $0, directoryHint: .isDirectory) }
  }
}
