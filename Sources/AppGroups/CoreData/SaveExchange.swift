import Dispatch
import FileSignals
package import Foundation
package import Signals

/// Announces the saves of one process in a log, and merges those of the others: all of a `CoreDataShare` but Core Data.
///
/// The saves that wait are merged together, one merge after the other. A save is acknowledged after its merge, so a
/// process that is killed in between merges it again, which changes nothing.
package final class SaveExchange: Sendable {
  /// Merges changes into the contexts of the process, and then calls the completion once, on any thread.
  package typealias Merge = @Sendable (_ changes: SaveUnion, _ completion: @escaping @Sendable () -> Void) -> Void

  private let log: AppGroupsLog<CoreDataSave>
  private let author: String
  private let recipients: Set<String>?
  private let merge: Merge
  private let events: LogEvents<CoreDataSave>
  private let queue = DispatchQueue(label: "org.signals.core-data", qos: .userInitiated)
  private let merged = Emitter<CoreDataSave, Never>()
  private let failureRelay: FailureRelay<AppGroupsLogError>
  private let retries: DelayedCall
  private let subscriptions = Guarded<[SignalSubscription]>([])
  private let state: Guarded<State>

  /// The number of objects after which saves that no subscriber has received become one change of everything.
  private static let unheardLimit = 10_000

  private struct State {
    var entities: Set<String>?
    var waiting = Batch()
    var isMerging = false
    /// The merged saves before the first subscriber; `nil` from then on.
    var unheard: [CoreDataSave]? = []
    var unheardCount = 0
  }

  /// Saves that are merged together.
  private struct Batch: Sendable {
    var saves: [CoreDataSave] = []
    /// The last entry of each producer, with which its earlier ones are acknowledged.
    var last: [UUID: LogEntry<CoreDataSave>] = [:]
  }

  /// Begins to merge the saves of the other processes, and first those that wait for this one.
  ///
  /// - Parameters:
  ///   - log: The log, which all processes open by the same name.
  ///   - author: The name of this process, which is also the name of the log's consumer.
  ///   - entities: The names of the entities that are announced and merged; `nil` for all.
  ///   - recipients: The names of the processes that receive the saves of this one; `nil` for all.
  ///   - merge: Merges changes into the contexts.
  /// - Throws: ``AppGroupsLogError``, such as ``AppGroupsLogError/consumerInUse(_:holder:)`` if another exchange has the
  ///   author's name and keeps it.
  package init(
    _ log: AppGroupsLog<CoreDataSave>, author: String, entities: Set<String>? = nil, recipients: Set<String>? = nil,
    merge: @escaping Merge
  ) throws(AppGroupsLogError) {
    events = try log.events(for: author, acknowledgement: .explicit)
    self.log = log
    failureRelay = FailureRelay(of: "CoreDataShare", log.url.path, replay: 16)
    self.author = author
    self.recipients = recipients
    self.merge = merge
    retries = DelayedCall(.exponential(from: .milliseconds(250), upTo: .seconds(30)), on: queue)
    state = Guarded(State(entities: entities))
    let forwarder = FailureForwarder { [weak failureRelay] in failureRelay?.isObserved ?? false }
    let failing = forwarder.attach { events.failures.sink { [weak self] in self?.note($0) } }
    let receiving = events.sink { [weak self] in self?.receive($0) }
    subscriptions.withLock { $0 = [failing, receiving] }
    try events.feed.waitForName()
  }

  /// The entities whose changes are announced and merged; `nil` for all.
  package var entities: Set<String>? {
    get { state.withLock { $0.entities } }
    set { state.withLock { $0.entities = newValue } }
  }

  /// The errors of appending to the log and of reading it.
  package var failures: some Signal<AppGroupsLogError, Never> { KeptSignal(upstream: failureRelay, owner: self) }

  /// The saves of other processes, each after it was merged; the first subscriber also receives the earlier ones.
  package var incoming: some Signal<CoreDataSave, Never> { IncomingSaves(exchange: self, merged: merged) }

  /// The notification of each merged save, under the name that CDShare posts.
  package static let didSaveNotification = Notification.Name("CoreDataSharingNotification.InjectedDataInMemory")

  /// Posts a notification with each save in ``incoming``.
  package func postNotifications(to center: NotificationCenter) -> SignalSubscription {
    incoming.sink { center.post(name: Self.didSaveNotification, object: nil, userInfo: ["save": $0]) }
  }

  // MARK: Announcing

  /// Announces a save of this process to the others, if it has changed objects in scope.
  package func announce(_ changes: [String: CoreDataSave.Changes]) {
    let save = CoreDataSave(author: author, entities: changes, recipients: recipients)
    guard let save = save.limited(to: entities) else { return }
    do throws(AppGroupsLogError) {
      do throws(AppGroupsLogError) {
        try log.append(save)
      } catch .tooLarge {
        try log.append(everything)
      }
    } catch {
      failureRelay.send(error)
      announceEverythingLater()
    }
  }

  private var everything: CoreDataSave {
    CoreDataSave(author: author, entities: [:], isEverything: true, recipients: recipients)
  }

  /// Makes up for a save that could not be announced, as soon as the log can be written again.
  private func announceEverythingLater() {
    retries.request { [weak self] in
      guard let self else { return }
      do throws(AppGroupsLogError) {
        try log.append(everything)
        retries.reset()
      } catch {
        // The error of the first attempt was reported.
        announceEverythingLater()
      }
    }
  }

  // MARK: Merging

  /// Adds an entry to the waiting ones, on the queue of the log's feed.
  private func receive(_ entry: LogEntry<CoreDataSave>) {
    let save = entry.event
    let isAddressed = save.author != author && save.recipients?.contains(author) != false
    state.withLock { state in
      state.waiting.last[entry.producer] = entry
      if isAddressed, let save = save.limited(to: state.entities) { state.waiting.saves.append(save) }
    }
    queue.async { [weak self] in self?.mergeWaiting() }
  }

  private func note(_ error: AppGroupsLogError) {
    failureRelay.deliver(error)
    guard error.isAboutLoss else { return }
    state.withLock { $0.waiting.saves.append(CoreDataSave(author: nil, entities: [:], isEverything: true)) }
    queue.async { [weak self] in self?.mergeWaiting() }
  }

  /// Begins to merge what waits, unless a merge is in progress.
  private func mergeWaiting() {
    let batch = state.withLock { state -> Batch? in
      if state.isMerging || (state.waiting.saves.isEmpty && state.waiting.last.isEmpty) { return nil }
      state.isMerging = !state.waiting.saves.isEmpty
      return exchange(&state.waiting, with: Batch())
    }
    guard let batch else { return }
    guard !batch.saves.isEmpty else { return acknowledge(batch) }
    merge(SaveUnion(batch.saves)) { [weak self] in
      guard let self else { return }
      queue.async { self.finish(batch) }
    }
  }

  private func finish(_ batch: Batch) {
    deliver(batch.saves)
    acknowledge(batch)
    state.withLock { $0.isMerging = false }
    mergeWaiting()
  }

  private func acknowledge(_ batch: Batch) {
    for entry in batch.last.values { events.acknowledge(entry) }
  }

  private func deliver(_ saves: [CoreDataSave]) {
    let isKept = state.withLock { state in
      guard state.unheard != nil else { return false }
      state.unheard?.append(contentsOf: saves)
      state.unheardCount += saves.reduce(0) { $0 + $1.entities.values.reduce(1) { $0 + $1.count } }
      if state.unheardCount > Self.unheardLimit {
        state.unheard = [CoreDataSave(author: nil, entities: [:], isEverything: true)]
        state.unheardCount = 1
      }
      return true
    }
    if !isKept { for save in saves { merged.send(save) } }
  }

  /// Delivers the saves that were merged before the first subscriber came.
  fileprivate func deliverUnheard() {
    queue.async { [self] in
      for save in state.withLock({ $0.unheard.take() }) ?? [] { merged.send(save) }
    }
  }
}

/// The merged saves, beginning with those that no subscriber has received.
private struct IncomingSaves: Signal {
  typealias Element = CoreDataSave
  typealias Failure = Never

  let exchange: SaveExchange
  let merged: Emitter<CoreDataSave, Never>

  func subscribe(_ subscriber: some SignalSubscriber<CoreDataSave, Never>) -> SignalSubscription {
    defer { exchange.deliverUnheard() }
    return merged.subscribe(subscriber).keepAlive(exchange)
  }
}

extension CoreDataSave.Changes {
  /// The number of changed objects.
  fileprivate var count: Int { inserted.count + updated.count + deleted.count }
}

extension AppGroupsLogError {
  /// A Boolean value that indicates whether the consumer has missed events.
  fileprivate var isAboutLoss: Bool {
    switch self {
    case .undecodable, .missing, .snapshotNeeded: true
    case .damaged(_, bytes: _, let lostEvents, reason: _): lostEvents != 0
    default: false
    }
  }
}
