import Foundation
import Signals

/// Writes whole lines to the standard output, from any thread.
final class Console: Sendable {
  private let lock = Lock()

  func write(_ line: String) {
    let text = line.replacing("\n", with: " ") + "\n"
    lock.withLock { FileHandle.standardOutput.write(Data(text.utf8)) }
  }

  /// Reports an observation.
  func report(_ event: String) {
    write("event " + event)
  }
}
