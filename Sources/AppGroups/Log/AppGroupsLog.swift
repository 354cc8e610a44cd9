public import FileSignals
public import Foundation
import Signals

/// Events that several processes send to one another, and of which none is lost.
///
/// A shared value keeps only its last state; a log keeps every event, for each consumer, until the consumer has handled
/// it. Any process appends, any process reads, each as far as it has got, also what was appended while it was not
/// running.
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
///   print(entry.sequence, item)
///   if item == "bread" { break }
/// }
/// // Prints "1 tea"
/// // Prints "2 bread"
/// try await kitchen.saveProgress()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Appending** costs a few microseconds, waits for no lock of another process, and is safe against the crash of any
///   process when it returns, or with ``/FileSignals/Durability/storage`` against a power failure, too.
/// - **Consumers** have names, and each its own place in the log, which is kept on disk: see
///   ``events(for:startingAt:includingOwn:acknowledgement:)``.
/// - **Delivery** is at least once, within some ten microseconds of the append, in the order of each producer. An event
///   has an identity, ``LogEventID``, by which one that comes again after a crash is known.
/// - **Producers that die**, at whatever point, leave all events that they had appended, and hold up nobody.
/// - **What all consumers have handled is removed**, by whichever process gets to it. A consumer that is away for too
///   long, or behind by too much, is not waited for: it is told ``AppGroupsLogError/snapshotNeeded(consumer:reason:)``
///   when it comes back. See ``LogLimits``. As long as nobody has consumed the log, it is kept up to its size limit.
///
/// **Threads.** Everything may be called from any thread and from any task, also from inside a subscriber. All logs of
/// one name in a process append as one producer.
public final class AppGroupsLog<Event: Codable & Sendable>: Sendable {
  private let format: FileFormat<Event>
  private let durability: Durability
  private let limits: LogLimits
  private let local: LogProducer

  /// Opens a log of a container, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - name: The log's name, such as `orders`: at most 200 bytes, without a slash or a leading dot.
  ///   - container: Where the log lies.
  ///   - format: How an event is written down; compact JSON unless you say otherwise.
  ///   - durability: What an appended event is safe against; by default the crash of any process, but not a power
  ///     failure.
  ///   - limits: How large the log may become, and how long it waits for consumers. All processes should agree on them.
  /// - Throws: ``AppGroupsLogError`` if the name is not one for a directory, or if the log's directory cannot be made.
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

  /// Opens a log of a root whose contents may be swapped, such as that of the active environment, and makes it if there
  /// is none.
  ///
  /// When the contents are swapped, the log goes over to the one of its name among the new contents, which is made if
  /// there is none.
  ///
  /// - **Appending** during a swap waits, and the event is in the new log. Inside an update or a transaction that the
  ///   swap waits for, it does not wait, and the event belongs to the contents that the update changes.
  /// - **Consumers** save their places in the old log, and go on from their own places in the new one. Of the old log,
  ///   no event is given out after the swap that was not on its way before. ``LogEntry/swapCount`` says which contents an
  ///   event belongs to. A new consumer with ``LogStart/newest``, and one without a name, begins with the first event
  ///   after the swap.
  /// - **Acknowledgements** of events of the old log that come after the swap change nothing: those events come again
  ///   when their contents do.
  /// - **Producers:** After a swap, ``producer`` is another identifier.
  ///
  /// - Parameters:
  ///   - name: The log's name, such as `orders`: at most 200 bytes, without a slash or a leading dot.
  ///   - scope: The root; the log lies in its folder `Logs`.
  ///   - onSwap: Whether to go over to the new contents, or to be closed. A closed log throws
  ///     ``AppGroupsLogError/closedBySwap(_:)``, which ``LogEvents/failures`` sends, too.
  ///   - format: How an event is written down; compact JSON unless you say otherwise.
  ///   - durability: What an appended event is safe against; by default the crash of any process, but not a power
  ///     failure.
  ///   - limits: How large the log may become, and how long it waits for consumers. All processes should agree on them.
  /// - Throws: ``AppGroupsLogError`` if the name is not one for a directory, or if the log's directory cannot be made.
  public convenience init(
    name: String,
    scope: Scope,
    onSwap: ScopePolicy = .follows,
    format: FileFormat<Event>? = nil,
    durability: Durability = .process,
    limits: LogLimits = LogLimits()
  ) throws(AppGroupsLogError) {
    self.init(try LogProducer.shared(name: name, scope: scope, policy: onSwap), format, durability, limits)
  }

  private init(
    _ producer: LogProducer, _ format: FileFormat<Event>?, _ durability: Durability, _ limits: LogLimits
  ) {
    self.format = format ?? .compactJSON
    self.durability = durability
    self.limits = limits
    local = producer
  }

  /// The directory of the log, which belongs to it alone.
  public var url: URL { local.location.url }

  /// The scope in which the log was opened, if it was.
  public var scope: Scope? { local.location.scope }

  /// Who appends the events of this process.
  public var producer: UUID { local.id }

  // MARK: Appending

  /// Appends an event.
  ///
  /// - Parameter event: The event, at most 16 mebibytes when it is written down.
  /// - Returns: What tells it from every other.
  /// - Throws: ``AppGroupsLogError``; nothing was appended then, unless only the wait for the disk failed, in which
  ///   case consumers get the event, but it may not outlive a power failure.
  /// - Complexity: One system call that writes, and one that makes sure that the file is still there. With
  ///   ``/FileSignals/Durability/storage`` it waits for the disk.
  @discardableResult
  public func append(_ event: Event) throws(AppGroupsLogError) -> LogEventID {
    let payload = try encoded(event)
    let (producer, sequence, isNewSegment) = try local.append(
      1, { _ in payload }, segmentSize: limits.segmentSize, durability: durability)
    if isNewSegment { trimLater() }
    return LogEventID(producer: producer, sequence: sequence)
  }

  /// Appends several events with one write: they follow one another, with no other event of this process in between.
  ///
  /// They are not a transaction: if this process is killed, the power fails, or the disk is full, the first of them may
  /// be there without the others.
  ///
  /// - Parameter events: The events, in order.
  /// - Returns: What tells each from every other, in the same order.
  /// - Throws: ``AppGroupsLogError``; the first events may have been appended then, unless one could not be encoded.
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
    do {
      return try format.encode(event)
    } catch {
      throw .unencodable(url, reason: CodingReason.words(for: error))
    }
  }

  // MARK: Consuming

  /// The events for a consumer of some name: all it has not handled yet, and then each as it is appended.
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
  /// How far the consumer is, is kept on disk under its name. It is noted after an event was handled, at most twenty
  /// times a second, and when the last subscription ends; so an event is given out at least once. An event is handled
  /// when the subscriber has returned, when a loop over ``LogEvents/values`` asks for the next, or when you say so, as
  /// `acknowledgement` has it.
  ///
  /// One process at a time can be a consumer. If another is, by the same name, or another object of this process,
  /// reading waits until that ends, within a few seconds of it, and ``LogEvents/failures`` says
  /// ``AppGroupsLogError/consumerInUse(_:)``.
  ///
  /// An event that cannot be decoded, perhaps because a newer version of the program has appended it, is reported in
  /// ``LogEvents/failures`` and passed over. It stays in the log as long as others do, so a consumer of another name
  /// can still read it.
  ///
  /// - Parameters:
  ///   - consumer: The consumer's name: at most 200 bytes, without a slash or a leading dot.
  ///   - start: Where to begin if the consumer is new.
  ///   - includingOwn: Whether to get the events that this process has appended, too.
  ///   - acknowledgement: When an event counts as handled.
  /// - Returns: The events; nothing is read until they are subscribed to.
  /// - Throws: ``AppGroupsLogError`` if the name cannot be used, or if the log cannot be watched.
  public func events(
    for consumer: String,
    startingAt start: LogStart = .oldest,
    includingOwn: Bool = true,
    acknowledgement: LogAcknowledgement = .automatic
  ) throws(AppGroupsLogError) -> LogEvents<Event> {
    let consumer = try ConsumerPlace(name: consumer, place: local.location.readablePlace)
    return try events(
      LogReading(consumer: consumer, start: start, includesOwn: includingOwn, acknowledgement: acknowledgement))
  }

  /// The events that are appended from the subscription on, for who does not need what was before, or while it was
  /// away.
  ///
  /// No place is kept, and the log is not kept either for who reads it in this way.
  ///
  /// - Parameter includingOwn: Whether to get the events that this process appends, too.
  /// - Returns: The events; nothing is read until they are subscribed to.
  /// - Throws: ``AppGroupsLogError`` if the log cannot be watched.
  public func newEvents(includingOwn: Bool = true) throws(AppGroupsLogError) -> LogEvents<Event> {
    try events(LogReading(start: .newest, includesOwn: includingOwn, acknowledgement: .automatic))
  }

  private func events(_ reading: LogReading) throws(AppGroupsLogError) -> LogEvents<Event> {
    LogEvents(try LogFeed(reading, limits: limits, decoder: EntryDecoder(format), producer: local))
  }

  /// The events that the log has, for readers that are no consumers, such as a viewer or a report.
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
  /// Reading leaves no trace: no place is saved, and no event is kept in the log for it.
  ///
  /// - Parameter date: The date of the first event of interest; by default all events that there still are.
  /// - Returns: The events, and in between the errors of those that cannot be read. Nothing is read until a loop begins.
  public func entries(since date: Date = .distantPast) -> LogEntries<Event> {
    LogEntries(local.location, EntryDecoder(format), since: date)
  }

  /// Forgets a consumer: the log is not kept for it any more.
  ///
  /// If there is no such consumer, nothing happens.
  ///
  /// - Parameter name: The consumer, which must not be reading.
  /// - Throws: ``AppGroupsLogError/consumerInUse(_:)`` if it is, or what kept its files from being removed.
  public func removeConsumer(_ name: String) throws(AppGroupsLogError) {
    let consumer = try ConsumerPlace(name: name, place: local.location.readablePlace)
    guard let lock = try consumer.lock() else { throw .consumerInUse(name) }
    try consumer.forget()
    withExtendedLifetime(lock) {}
  }

  // MARK: Trimming

  /// Removes what all consumers have handled, and what exceeds the limits.
  ///
  /// This happens by itself, whenever a file of the log is begun and while events are consumed. If another process is
  /// at it, this waits for the few milliseconds that it takes.
  ///
  /// - Throws: ``AppGroupsLogError`` if something could not be read or removed.
  public func trim() throws(AppGroupsLogError) {
    try LogTrimmer(place: local.location.readablePlace, limits: limits).trim(isWaiting: true)
  }

  private func trimLater() {
    // An error here will be thrown, or reported, where somebody trims who can be told.
    do throws(AppGroupsLogError) {
      LogTrimmer(place: try local.location.place, limits: limits).trimLater { _ in }
    } catch {
      // The next append tries to open the log again, and throws.
    }
  }
}
