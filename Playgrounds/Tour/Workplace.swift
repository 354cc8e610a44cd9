import Foundation
import SignalsKit

/// The temporary directory in which the tour takes place.
struct Workplace: Sendable {
  let directory: URL
  let container: AppGroupsContainer

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "signals-tour-\(UUID().uuidString.prefix(8))")
    container = try AppGroupsContainer(directory: directory)
  }

  /// Removes the directory and everything in it.
  func remove() {
    // An update that was begun before an interruption may put one more file into it.
    for attempt in 1... {
      do {
        return try FileManager.default.removeItem(at: directory)
      } catch  where attempt < 10 {
        usleep(10_000)
      } catch {
        return FileHandle.standardError.write(Data("tour: \(directory.path) could not be removed: \(error)\n".utf8))
      }
    }
  }
}
