public import FileSignals
public import Foundation

/// An error in appending to a log, or an obstacle that keeps a consumer from receiving all events.
///
/// Each case names the place; ``description`` adds the cause in words and a remedy. No error ends a stream of events:
/// all events that can still be read are delivered.
@nonexhaustive
public enum AppGroupsLogError: Error, Hashable, Sendable {
  /// The name is not valid for a log or a consumer.
  case invalidName(String, reason: String)

  /// The container's directory for the log could not be created or opened.
  case unusableContainer(AppGroupsError)

  /// The format cannot encode the event.
  case unencodable(URL, reason: String)

  /// The encoded event is larger than the limit for one event.
  case tooLarge(URL, count: Int, limit: Int)

  /// The contents of the scope were switched, and the log was opened with a policy that closes it then.
  case closedBySwitch(URL)

  /// This process is suspended in the container.
  case suspended(URL, operation: String)

  /// The file system refused an operation.
  case inaccessible(DurableFileError)

  /// Changes of the log cannot be observed.
  case unobservable(FileObserverError)

  /// The event could not be decoded.
  ///
  /// The consumer skipped it, and it stays in the log as long as other events do.
  case undecodable(LogEventID, URL, reason: String)

  /// A part of a segment is damaged.
  ///
  /// The consumer skipped it, and receives the records before and after it.
  ///
  /// `bytes` is the range of the damaged part. If it reaches the end of the segment, no complete record was found after
  /// it. `lostEvents` is the number of events that were lost, or `nil` if it cannot be determined.
  case damaged(URL, bytes: Range<UInt64>, lostEvents: UInt64?, reason: String)

  /// Events of a producer are missing, although this consumer has not received them.
  ///
  /// A segment was removed by hand or damaged, or was trimmed before a loop over ``AppGroupsLog/entries(since:)``
  /// reached it.
  case missing(producer: UUID, after: UInt64, before: UInt64)

  /// Events were removed before the consumer received them.
  ///
  /// The consumer must load the state that they led to from another source.
  case snapshotNeeded(consumer: String, reason: LogLoss)

  /// Another process, or another object of this one, reads the log under the same name.
  ///
  /// This consumer waits until the other ends. The holder is `nil` if the system does not name it.
  case consumerInUse(String, holder: LockHolder?)

  /// The consumer's cursor is damaged.
  ///
  /// The consumer begins with the oldest event in the log, so that it skips none.
  case unreadableCursor(consumer: String, URL, reason: String)

  /// The consumer's cursor could not be read.
  ///
  /// The consumer receives no event until it can be read.
  case inaccessibleCursor(consumer: String, DurableFileError)
}

/// The reason why events were removed from a log before a consumer received them.
@nonexhaustive
public enum LogLoss: Hashable, Sendable {
  /// The log exceeded its size limit.
  case sizeLimit

  /// The consumer was absent for longer than the log waits for consumers.
  case absence
}

extension AppGroupsLogError {
  /// Returns the error of a failed operation on a file of a log.
  static func file(_ error: DurableFileError, to operation: String, of log: URL) -> AppGroupsLogError {
    if case .suspended = error { .suspended(log, operation: operation) } else { .inaccessible(error) }
  }

  /// Runs a closure that examines files.
  static func examining<Result>(
    _ body: () throws(DurableFileError) -> Result
  ) throws(AppGroupsLogError) -> Result {
    try translating(body(), by: AppGroupsLogError.inaccessible)
  }

  /// A Boolean value that indicates whether the operation is possible again after this process is resumed.
  var isAboutSuspension: Bool {
    if case .suspended = self { true } else { false }
  }

  /// A Boolean value that indicates whether the log stays closed.
  var isAboutClosing: Bool {
    if case .closedBySwitch = self { true } else { false }
  }

  /// A Boolean value that indicates whether the cause is that a file or its directory is missing.
  var isAboutNothingThere: Bool {
    switch self {
    case .inaccessible(.notFound), .inaccessible(.directoryNotFound): true
    default: false
    }
  }
}

extension AppGroupsLogError: CustomStringConvertible, LocalizedError {
  /// A description of the problem, the place, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidName(let name, let reason):
      "\(name.debugDescription) cannot be the name of a log or a consumer: \(reason). Choose a plain name, such as \"sync\"."
    case .unusableContainer(let error):
      error.description
    case .unencodable(let url, let reason):
      "The event for the log \(url.path) cannot be encoded: \(reason). Nothing was appended."
    case .tooLarge(let url, let count, let limit):
      "Can't append to the log \(url.path): the event's \(count) bytes exceed the limit of \(limit). Store large content "
        + "in a file, and append the name of the file."
    case .closedBySwitch(let url):
      "The log \(url.path) is closed: the contents of its root were switched, and its policy does not follow switches. Open "
        + "it again, or open it with the policy `.follows`."
    case .suspended(let url, let operation):
      "Can't \(operation) the log \(url.path): this process is suspended in its container. Try again after resume() of "
        + "the AppGroupsContainer."
    case .inaccessible(let error):
      error.description
    case .unobservable(let error):
      error.description
    case .undecodable(let id, let url, let reason):
      "Event \(id.sequence) of producer \(id.producer) in \(url.path) cannot be decoded: \(reason). The consumer skipped "
        + "it. A newer version of the program may have written it."
    case .damaged(let url, let bytes, let lostEvents, let reason):
      "The log segment \(url.path) is damaged from byte \(bytes.lowerBound) to byte \(bytes.upperBound): \(reason). "
        + "\(Self.words(forLost: lostEvents)) The intact records before and after the damage are delivered. If you need "
        + "the lost events, load the state that they led to."
    case .missing(let producer, let after, let before):
      "The events after \(after) and before \(before) of producer \(producer) are missing: a file of the log was removed "
        + "or damaged. Load the state that they led to."
    case .snapshotNeeded(let consumer, .sizeLimit):
      "The log exceeded its size limit, so events were removed that the consumer \(consumer.debugDescription) had not "
        + "read. Load the state that they led to. To keep more events, read more often or raise the limit."
    case .snapshotNeeded(let consumer, .absence):
      "Events were removed because the consumer \(consumer.debugDescription) was absent for longer than the log waits. "
        + "Load the state that they led to."
    case .consumerInUse(let consumer, let holder):
      "\(holder?.description ?? "Another process or object") already reads the log as \(consumer.debugDescription). "
        + "Give each consumer a unique name. A consumer that waits continues when the other one ends."
    case .unreadableCursor(let consumer, let url, let reason):
      "The cursor \(url.path) of the consumer \(consumer.debugDescription) is damaged: \(reason). The consumer starts "
        + "at the oldest event in the log, and may receive events that it has already handled."
    case .inaccessibleCursor(let consumer, let error):
      "The cursor of the consumer \(consumer.debugDescription) cannot be read, so it receives no events: "
        + error.description
    }
  }

  private static func words(forLost events: UInt64?) -> String {
    switch events {
    case 0: "No events were lost."
    case 1: "One event was lost."
    case let count?: "\(count) events were lost."
    case nil: "The number of lost events is unknown."
    }
  }

  /// Returns the error that reports damage to a segment.
  static func damaged(_ url: URL, _ damage: SegmentDamage) -> AppGroupsLogError {
    .damaged(url, bytes: damage.bytes, lostEvents: damage.lostEvents, reason: damage.reason)
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
