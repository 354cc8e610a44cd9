import Dispatch
import Foundation
import SignalsKit

/// The temporary directory in which the tour takes place; it is removed at the end, also after Control-C.
final class Workplace: Sendable {
  let directory: URL
  let container: AppGroupsContainer
  // Sound: never changed, and sources may be shared.
  private nonisolated(unsafe) let interruption: any DispatchSourceSignal

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "signals-tour-\(UUID().uuidString.prefix(8))")
    self.directory = directory
    container = try AppGroupsContainer(directory: directory)
    signal(SIGINT, SIG_IGN)
    interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    interruption.setEventHandler {
      Self.remove(directory)
      exit(130)
    }
    interruption.activate()
  }

  func remove() {
    Self.remove(directory)
  }

  private static func remove(_ directory: URL) {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      FileHandle.standardError.write(Data("tour: \(directory.path) could not be removed: \(error)\n".utf8))
    }
  }
}
