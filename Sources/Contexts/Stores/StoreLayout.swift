import Foundation

/// Where the databases of all users lie.
struct StoreLayout: Sendable {
  let root: URL
  let cacheRoot: URL

  func cacheDirectory(of userID: String) -> URL {
    cacheRoot.appending(path: UserDirectory.name(for: userID), directoryHint: .isDirectory)
  }

  func persistenceDirectory(of userID: String) -> URL {
    root.appending(path: "users", directoryHint: .isDirectory)
      .appending(path: UserDirectory.name(for: userID), directoryHint: .isDirectory)
  }

  /// Removes the databases of a user, which must not be open.
  func purge(_ userID: String) throws(ContextError) {
    for directory in [cacheDirectory(of: userID), persistenceDirectory(of: userID)]
    where FileManager.default.fileExists(atPath: directory.path) {
      do {
        try FileManager.default.removeItem(at: directory)
      } catch {
        throw .archive(path: directory.path, operation: "remove", reason: "\(error)")
      }
    }
  }
}
