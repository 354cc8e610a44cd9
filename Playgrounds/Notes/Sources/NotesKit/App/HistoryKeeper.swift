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
    var failures = 0
    var refusals: (event: LogEventID?, count: Int) = (nil, 0)
    while true {
      try Task.checkCancellation()
      do {
        for await entry in events.values {
          // The loop marks an event as handled when it asks for the next. If this throws, it arrives again.
          try await record(entry)
          failures = 0
        }
      } catch let error as EnvironmentWasSwitched {
        // The loop ended without asking for the next event, so this one arrives again when its environment returns. In
        // a copy of an environment, whose events name the original, it is refused for ever.
        refusals = (error.event, error.event == refusals.event ? refusals.count + 1 : 0)
        if refusals.count == 5 { report(error) }
        if refusals.count > 0 {
          try await Task.sleep(for: pauses.pause(after: refusals.count, chance: 0.5) ?? .seconds(10))
        }
      } catch {
        report(error)
        failures += 1
        try await Task.sleep(for: pauses.pause(after: failures, chance: 0.5) ?? .seconds(10))
      }
    }
  }

  /// Writes the line of one event.
  ///
  /// - Parameter entry: The event.
  /// - Throws: ``EnvironmentWasSwitched``, or an error of the database.
  public func record(_ entry: LogEntry<NoteEvent>) async throws {
    try await app.history.write { [active = app.environments.active] transaction in
      // The environment may have been switched after the event was delivered. This database is another one then. After
      // a return instead of an error, the loop would ask for the next event, and so mark this one as handled.
      guard entry.event.environment == active.value.id else { throw EnvironmentWasSwitched(event: entry.id) }
      // At least once becomes exactly once: the key of the row is the identity of the event.
      try transaction.put(Activity(entry))
    }
  }
}

/// An error that leaves an event unhandled, because its environment is not active any more.
public struct EnvironmentWasSwitched: Error {
  /// The event.
  public let event: LogEventID
}
