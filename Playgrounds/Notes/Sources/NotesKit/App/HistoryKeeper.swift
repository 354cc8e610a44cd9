public import SignalsKit

/// Writes a line of history for each event of the log: a consumer with a name, whose position is on disk.
///
/// Events that were appended while no daemon ran wait in the log, in each environment. One process at a time is this
/// consumer, and another one takes over when it ends.
public struct HistoryKeeper: Sendable {
  private let app: NotesApp

  /// Creates a keeper at rest.
  ///
  /// - Parameter app: The app, which the keeper keeps alive.
  public init(_ app: NotesApp) { self.app = app }

  /// Consumes events until the task is cancelled.
  ///
  /// - Parameters:
  ///   - pauses: The pauses after failures, such as a full disk.
  ///   - report: Receives each failure.
  /// - Throws: `CancellationError`, or an error of the log's directory.
  public func run(
    pauses: Backoff = .exponential(from: .milliseconds(100), upTo: .seconds(10)),
    report: (any Error) -> Void
  ) async throws {
    let events = try app.log.events(for: "history")
    // The other processes get each line at once, and see who wrote it.
    let share = try DatabaseShare(app.history, container: app.home, author: "keeper", remembersPosition: false)
    defer { share.close() }
    var failures = 0
    while true {
      try Task.checkCancellation()
      do {
        for await entry in events.values {
          // The loop marks an event as handled when it asks for the next. If this throws, it arrives again.
          try await record(entry)
          failures = 0
        }
      } catch {
        report(error)
        failures += 1
        try await Task.sleep(for: pauses.pause(after: failures, chance: 0.5) ?? .seconds(10))
      }
    }
  }

  /// Writes the line of one event, unless its environment has been switched away.
  ///
  /// - Parameter entry: The event.
  /// - Throws: An error of the database.
  public func record(_ entry: LogEntry<NoteEvent>) async throws {
    try await app.history.write { [active = app.environments.active] transaction in
      // After a switch, this is the database of another environment. The loop may go on: a switch leaves the event that
      // a loop has unhandled, so it arrives again when its environment returns.
      guard entry.event.environment == active.value.id else { return }
      // At least once becomes exactly once: the key of the row is the identity of the event.
      try transaction.put(Activity(entry))
    }
  }
}
