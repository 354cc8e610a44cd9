import AppGroups
import Foundation

/// The events that all processes of one name have handled, in a file with a line for each.
final class EventDiary: Sendable {
  private let descriptor: CInt

  /// The events that earlier processes of the name have handled.
  let handled: [LogEventID]

  init(_ url: URL) throws {
    descriptor = open(url.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    handled = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let producer = UUID(uuidString: String(words[0])), let sequence = UInt64(words[1])
      else { return nil }
      return LogEventID(producer: producer, sequence: sequence)
    }
  }

  deinit {
    close(descriptor)
  }

  /// Notes that an event has been handled, before its consumer acknowledges it.
  func note(_ id: LogEventID) {
    let line = "\(id.producer) \(id.sequence)\n"
    // A line that is missing makes the test fail that reads it.
    _ = write(descriptor, line, line.utf8.count)
  }
}
