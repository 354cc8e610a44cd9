public import FileSignals
public import Foundation
import Signals

/// A log of events that several processes exchange without losing any.
///
/// A shared value keeps only its last state. A log keeps every event, for each consumer, until the consumer has handled
/// it. Any process may append and read. Each consumer continues where it stopped, so it also receives the events that
/// were appended while it was not running.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// enum Order: Codable, Sendable {
///   case placed(String)
/// }
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let orders = try AppGroupsLog<Order>(name: "orders", container: container)
/// try orders.append(.placed("tea"))
/// try orders.append(.placed("bread"))
///
/// let kitchen = try orders.events(for: "kitchen")
/// for await entry in kitchen.values {
///   guard case .placed(let item) = entry.event else { continue }
///   print(entry.id.sequence, item)
///   if item == "bread" { break }
/// }
/// // Prints "1 tea"
/// // Prints "2 bread"
/// try await kitchen.saveProgress()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Appending** takes a few microseconds and waits for no lock of another process. When it returns, the event
///   survives the crash of any process, and with ``/FileSignals/Durability/storage`` also a power failure.
/// - **Consumers** have names. Each consumer's position in the log is kept on disk: see
///   ``events(for:startingAt:includingOwn:acknowledgement:)``.
/// - **Delivery** is at least once, within about ten microseconds of the append, in the order of each producer. An
///   event has an identity, ``LogEventID``, by which you recognize an event that is delivered again after a crash.
/// - **Producers that die**, at whatever point, leave all events that they had appended, and block no other process.
/// - **Trimming:** Events that all consumers have handled are removed, by whichever process trims first. The log does
///   not wait for a consumer that is absent for too long or too far behind. When that consumer returns,
///   ``LogEvents/failures`` sends ``AppGroupsLogError/snapshotNeeded(consumer:reason:)``. See ``LogLimits``. Until a
///   first consumer reads the log, it is kept up to its size limit.
/// - **Threads:** All methods may be called from any thread and any task, and from inside a subscriber. All logs of one
///   name in a process append as one producer.
public final class AppGroupsLog<Event: Codable & Sendable>: Sendable {
  private let format: FileFormat<Event>
  private let durability: Durability
  private let limits: LogLimits
  private let local: LogProducer

  /// Opens a log of a container, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - name: The log's name, such as `orders`: at most 200 bytes, without a slash or a leading dot.
  ///   - container: The container of the log.
  ///   - format: The encoding of events; compact JSON by default.
  ///   - durability: The failures that an appended event survives; by default the crash of any process, but not a power
  ///     failure.
  ///   - limits: The maximum size of the log, and the time that it waits for consumers. All processes should use the
  ///     same limits.
  /// - Throws: ``AppGroupsLogError`` if the name is invalid, or if the log's directory cannot be created.
  public convenience init(
    name: String,
    container: AppGroupsContainer,
    format: FileFormat<Event>? = nil,
    durability: Durability = .process,
    limits: LogLimits = LogLimits()
  ) throws(AppGroupsLogError) {
    let producer = LogProducer.shared(for: try LogPlace(name: name, container: container))
    self.init(producer, format, durability, limits)
  }

  /// Opens a log of a root whose contents may be switched, such as the root of the active environment, and creates it if
  /// it does not exist.
  ///
  /// When the contents are switched, the log switches to the log of the same name in the new contents, and creates that
  /// if it does not exist.
  ///
  /// - **Appending** during a switch waits, and the event goes to the new log. Inside an update or a transaction that the
  ///   switch waits for, an append does not wait, and the event belongs to the contents that the update changes.
  /// - **Consumers** save their positions in the old log, and continue from their own positions in the new one. After
  ///   the switch, no event of the old log is delivered unless its delivery had already begun. ``LogEntry/switchCount``
  ///   identifies the contents that an event belongs to. A new consumer with ``LogStart/newest``, and one without a
  ///   name, begins with the first event after its process has followed the switch.
  /// - **Consumers of other processes** may arrive later. The new log is kept for every consumer that the old one is kept
  ///   for, except for those that were removed from the new one.
  /// - **Acknowledgements** of events of the old log have no effect after the switch. Those events are delivered again
  ///   when their contents return.
  /// - **Producers:** After a switch, ``producer`` is another identifier.
  /// - **Files:** Nothing of the old log stays open.
  ///
  /// - Parameters:
  ///   - name: The log's name, such as `orders`: at most 200 bytes, without a slash or a leading dot.
  ///   - scope: The root; the log is in its folder `Logs`.
  ///   - onSwitch: The policy for a switch: the log follows the new contents, or is closed. A closed log throws
  ///     ``AppGroupsLogError/closedBySwitch(_:)``, which ``LogEvents/failures`` also sends.
  ///   - format: The encoding of events; compact JSON by default.
  ///   - durability: The failures that an appended event survives; by default the crash of any process, but not a power
  ///     failure.
  ///   - limits: The maximum size of the log, and the time that it waits for consumers. All processes should use the
  ///     same limits.
  /// - Throws: ``AppGroupsLogError`` if the name is invalid, or if the log's directory cannot be created.
  public convenience init(
    name: String,
    scope: Scope,
    onSwitch: ScopePolicy = .follows,
    format: FileFormat<Event>? = nil,
    durability: Durability = .process,
    limits: LogLimits = LogLimits()
  ) throws(AppGroupsLogError) {
    self.init(try LogProducer.shared(name: name, scope: scope, policy: onSwitch), format, durability, limits)
  }

  private init(
    _ producer: LogProducer, _ format: FileFormat<Event>?, _ durability: Durability, _ limits: LogLimits
  ) {
    self.format = format ?? .compactJSON
    self.durability = durability
    self.limits = limits
    local = producer
  }

  /// The directory of the log, which is reserved for its files.
  public var url: URL { local.location.url }

  /// The scope in which the log was opened, or `nil` if it was opened in a container.
  package var scope: Scope? { local.location.scope }

  /// The identifier under which this process appends events.
  public var producer: UUID { local.id }

  // MARK: Appending

  /// Appends an event.
  ///
  /// - Parameter event: The event, at most 16 mebibytes when encoded.
  /// - Returns: The identity of the event.
  /// - Throws: ``AppGroupsLogError``; then nothing was appended, with one exception. If only the wait for the disk
  ///   failed, consumers receive the event, but it may not survive a power failure.
  /// - Complexity: One system call that writes, and one that checks that the file still exists. With
  ///   ``/FileSignals/Durability/storage``, the method also waits for the disk.
  @discardableResult
  public func append(_ event: Event) throws(AppGroupsLogError) -> LogEventID {
    let payload = try encoded(event)
    let (producer, sequence, isNewSegment) = try local.append(
      1, { _ in payload }, segmentSize: limits.segmentSize, durability: durability)
    if isNewSegment { trimLater() }
    return LogEventID(producer: producer, sequence: sequence)
  }

  /// Appends several events with one write, with no other event of this process between them.
  ///
  /// They are not a transaction. If this process is killed, the power fails, or the disk is full, the log may contain
  /// only the first of them.
  ///
  /// - Parameter events: The events, in order.
  /// - Returns: The identities of the events, in the same order.
  /// - Throws: ``AppGroupsLogError``; then the first events may have been appended, unless an event could not be
  ///   encoded.
  @discardableResult
  public func append(contentsOf events: some Sequence<Event>) throws(AppGroupsLogError) -> [LogEventID] {
    var payloads: [Data] = []
    for event in events { payloads.append(try encoded(event)) }
    guard !payloads.isEmpty else { return [] }
    let (producer, first, isNewSegment) = try local.append(
      payloads.count, { [payloads] in payloads[$0] }, segmentSize: limits.segmentSize, durability: durability)
    if isNewSegment { trimLater() }
    return payloads.indices.map { LogEventID(producer: producer, sequence: first + UInt64($0)) }
  }

  private func encoded(_ event: Event) throws(AppGroupsLogError) -> Data {
    try translating(format.encode(event)) { (error: any Error) in
      AppGroupsLogError.unencodable(url, reason: CodingReason.words(for: error))
    }
  }

  // MARK: Consuming

  /// Returns the events for a named consumer: all that it has not handled yet, and then each as it is appended.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let log = try AppGroupsLog<String>(name: "changes", container: container)
  /// try log.append("while nobody listened")
  /// let seen = DispatchSemaphore(value: 0)
  /// let changes = try log.events(for: "widget")
  /// let subscription = changes.sink { entry in
  ///   print(entry.event)
  ///   seen.signal()
  /// }
  /// seen.wait()  // Prints "while nobody listened"
  /// subscription.cancel()
  /// try await changes.saveProgress()
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// - **Position:** The consumer's position is kept on disk under its name. It is saved after an event was handled, at
  ///   most twenty times a second, and when the last subscription ends. So an event is delivered at least once.
  /// - **Handled events:** An event is handled when the subscriber has returned, when a loop over ``LogEvents/values``
  ///   asks for the next one, or when you acknowledge it. The `acknowledgement` decides which.
  /// - **Exclusive use:** Only one process at a time can be a consumer of a given name. While another process, or
  ///   another object of this one, uses the name, reading waits. After the ``AppGroupsContainer/lockTimeout`` of the
  ///   container, or half a second without one, ``LogEvents/failures`` sends
  ///   ``AppGroupsLogError/consumerInUse(_:holder:)``. Reading begins within a few seconds after the other ends.
  /// - **Undecodable events:** If an event cannot be decoded, perhaps because a newer version of the program appended
  ///   it, ``LogEvents/failures`` reports it, and the consumer skips it. It stays in the log as long as other events
  ///   do, so a consumer of another name can still read it.
  ///
  /// - Parameters:
  ///   - consumer: The consumer's name: at most 200 bytes, without a slash or a leading dot.
  ///   - start: The position at which a new consumer begins.
  ///   - includingOwn: A Boolean value that indicates whether to include the events that this process has appended.
  ///   - acknowledgement: The moment at which an event counts as handled.
  /// - Returns: The events. Nothing is read until a subscriber is attached.
  /// - Throws: ``AppGroupsLogError`` if the name is invalid, or if the log cannot be observed.
  public func events(
    for consumer: String,
    startingAt start: LogStart = .oldest,
    includingOwn: Bool = true,
    acknowledgement: LogAcknowledgement = .automatic
  ) throws(AppGroupsLogError) -> LogEvents<Event> {
    let name = try ConsumerPlace(name: consumer, place: local.location.readablePlace).name
    return try events(
      LogReading(consumer: name, start: start, includesOwn: includingOwn, acknowledgement: acknowledgement))
  }

  /// Returns the events that are appended after you subscribe, for readers that need no history.
  ///
  /// No position is saved, and no event is kept in the log for such a reader.
  ///
  /// - Parameter includingOwn: A Boolean value that indicates whether to include the events that this process appends.
  /// - Returns: The events. Nothing is read until a subscriber is attached.
  /// - Throws: ``AppGroupsLogError`` if the log cannot be observed.
  public func newEvents(includingOwn: Bool = true) throws(AppGroupsLogError) -> LogEvents<Event> {
    try events(LogReading(start: .newest, includesOwn: includingOwn, acknowledgement: .automatic))
  }

  private func events(_ reading: LogReading) throws(AppGroupsLogError) -> LogEvents<Event> {
    LogEvents(try LogFeed(reading, limits: limits, decoder: EntryDecoder(format), producer: local))
  }

  /// Returns the events that are in the log, for readers that are not consumers, such as a viewer or a report.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let log = try AppGroupsLog<String>(name: "changes", container: container)
  /// try log.append(contentsOf: ["opened", "saved", "closed"])
  /// for entry in log.entries() {
  ///   print(try entry.get().event)
  /// }
  /// // Prints "opened"
  /// // Prints "saved"
  /// // Prints "closed"
  /// let yesterday = Date(timeIntervalSinceNow: -24 * 60 * 60)
  /// print(Array(log.entries(since: yesterday)).count)  // Prints "3"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// Each loop reads the events that are in the log when the loop begins. It returns the events of all processes in the
  /// order of their dates. Events that are appended later are not part of it. An event that is appended meanwhile may be
  /// part of it, but never without the events that its process had read before.
  ///
  /// - **Traces:** None. Reading saves no position, keeps no event from being removed, and writes nothing. It works in a
  ///   directory that the process may only read.
  /// - **Errors** are elements of the sequence, in the place of the events that could not be read. The events after them
  ///   follow. Damage and events that cannot be decoded are reported as in ``LogEvents/failures``. If events are removed
  ///   before the loop reaches them, ``AppGroupsLogError/missing(producer:after:before:)`` identifies them.
  /// - **Scopes:** In a scope, a loop reads the log of the environment in which it begins, to its end.
  /// - **Memory:** A limited number of files are open at a time, and they are read in small pieces, however large the log
  ///   is.
  /// - **Threads:** Each call of `next()` may read a file, on the thread that calls it.
  ///
  /// - Parameter date: The date of the first event to return; by default all events that are still in the log.
  /// - Returns: The events, and between them the errors for events that cannot be read. Nothing is read until a loop
  ///   begins.
  public func entries(
    since date: Date = .distantPast
  ) -> some Sequence<Result<LogEntry<Event>, AppGroupsLogError>> & Sendable {
    LogEntries(local, EntryDecoder(format), since: date)
  }

  /// Removes a consumer, so that no event is kept in the log for it any more.
  ///
  /// If the consumer does not exist, nothing happens.
  ///
  /// - Parameter name: The consumer, which must not be reading.
  /// - Throws: ``AppGroupsLogError/consumerInUse(_:holder:)`` if the consumer is reading, or the error that kept its
  ///   files from being removed. It does not wait for the consumer.
  public func removeConsumer(_ name: String) throws(AppGroupsLogError) {
    let consumer = try ConsumerPlace(name: name, place: local.location.readablePlace)
    guard let lock = try consumer.lock() else { throw consumer.inUse }
    try consumer.forget()
    withExtendedLifetime(lock) {}
  }

  // MARK: Trimming

  /// Removes the events that all consumers have handled, and enforces the limits of the log.
  ///
  /// The log trims itself whenever it begins a new file, and while events are consumed. If another process is trimming,
  /// this method waits until that is done, which takes a few milliseconds, or for ``AppGroupsContainer/lockTimeout``.
  ///
  /// - Throws: ``AppGroupsLogError`` if a file could not be read or removed, or if another process is trimming for too
  ///   long.
  public func trim() throws(AppGroupsLogError) {
    try LogTrimmer(place: local.location.readablePlace, limits: limits).trim(isWaiting: true)
  }

  private func trimLater() {
    // The next append tries to open the log again, and throws.
    tolerating {
      LogTrimmer(place: try local.location.place, limits: limits).trimLater { [url] error in
        FailureRelay(of: "AppGroupsLog", url.path).report(error)
      }
    }
  }
}
