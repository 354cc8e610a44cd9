import Dispatch
import Foundation
import SignalsKit

/// The temporary directory in which the tour takes place; it is removed at the end, also if the tour is interrupted.
final class Workplace: Sendable {
  let directory: URL
  let container: AppGroupsContainer
  // Sound: never changed, and sources may be shared.
  private nonisolated(unsafe) let interruptions: [any DispatchSourceSignal]

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "signals-tour-\(UUID().uuidString.prefix(8))")
    self.directory = directory
    container = try AppGroupsContainer(directory: directory)
    interruptions = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        ChildProcess.killAll()
        Self.remove(directory)
        Display.leave()
        exit(128 + number)
      }
      source.activate()
      return source
    }
  }

  func remove() {
    Self.remove(directory)
  }

  private static func remove(_ directory: URL) {
    // A child that is just being killed may put one more file into it.
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
