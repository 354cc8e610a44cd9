#if canImport(CoreData)
  public import CoreData
  import FileSignals
  public import Foundation
  public import Signals

  /// A share that reports the saves of a Core Data store to all processes that have the store open.
  ///
  /// Core Data merges the changes of one process only. Each process creates one share, with a name of its own. From then
  /// on, the share announces the changed objects of each save in a log. It merges the saves of the other processes into
  /// the contexts that read, in order. This includes saves made while the process was not running:
  ///
  /// <!-- compiled for Apple -->
  /// ```swift
  /// import AppGroups
  /// import CoreData
  ///
  /// let store = NSPersistentContainer(name: "Model")  // Its store lies in the directory of the group.
  /// let group = try AppGroupsContainer("group.com.example.app")
  /// let log = try AppGroupsLog<CoreDataSave>(name: "saves", container: group)
  /// let share = try CoreDataShare(reading: [store.viewContext], log: log, author: "widget", entities: ["Item", "List"])
  /// let merges = share.incoming.sink { save in
  ///   print(save.author ?? "unknown", save["Item"].inserted)
  /// }
  /// let failures = share.failures.sink { print($0) }
  /// ```
  ///
  /// - **Order:** Saves are merged in the order of the log. Saves that wait are merged together. If one inserts an object
  ///   and another deletes it, no context loads it.
  /// - **No echo:** A share never receives its own saves, and merged saves are not announced again.
  /// - **Unsaved edits** in a context stay, as Core Data merges changes from a remote save.
  /// - **At least once:** A save is acknowledged after it was merged into all contexts. After a crash, it may be merged a
  ///   second time, which changes nothing.
  /// - **Authors:** Only one share at a time can have a name. If another share has it, in this process or another, a new
  ///   share waits for it up to a limit, and then throws ``AppGroupsLogError/consumerInUse(_:holder:)``.
  /// - **Lost saves:** If saves cannot be read, or were removed from the log, all objects of the contexts are refreshed,
  ///   and ``incoming`` sends a save with ``CoreDataSave/isEverything``. If a save cannot be announced, the others
  ///   receive such a save as soon as the log can be written.
  /// - **Crashes:** A process that is killed between a save and its announcement announces nothing.
  /// - **Batch requests:** `NSBatchInsertRequest` and its relatives post no notification of a save, so they are not
  ///   announced.
  /// - **Threads:** A save appends one event on the thread that saved. Merges run on the queues of their contexts.
  ///   Subscribers are called on a serial queue of the share. A subscriber that does not return delays the merges.
  /// - **Lifetime:** The share ends when there is no reference to it, and no subscription to one of its signals.
  public final class CoreDataShare: Sendable {
    private let exchange: SaveExchange
    private let coordinator: NSPersistentStoreCoordinator?
    private let saving: SignalSubscription

    /// Begins to announce saves, and to merge the saves of other processes.
    ///
    /// - Parameters:
    ///   - reading: The contexts into which the saves of other processes are merged, all with one coordinator.
    ///   - writing: The context whose saves are announced; by default every context that saves directly into the
    ///     coordinator of the reading contexts. A context with a parent is announced when the parent saves.
    ///   - log: The log, which all processes open by the same name.
    ///   - author: The name of this process. It must differ from the names of other running processes, and stay the same
    ///     after a restart. It is also the name of the log's consumer.
    ///   - entities: The names of the entities whose changes are announced and merged, with their subentities; by
    ///     default all entities. See ``setEntities(_:includingSubentities:)``.
    ///   - recipients: The authors that receive the saves of this process; by default all.
    /// - Throws: ``AppGroupsLogError``, such as ``AppGroupsLogError/consumerInUse(_:holder:)``.
    public init(
      reading: [NSManagedObjectContext],
      writing: NSManagedObjectContext? = nil,
      log: AppGroupsLog<CoreDataSave>,
      author: String,
      entities: Set<String>? = nil,
      recipients: Set<String>? = nil
    ) throws(AppGroupsLogError) {
      let coordinator = (writing ?? reading.first)?.persistentStoreCoordinator
      let exchange = try SaveExchange(
        log, author: author, entities: Self.names(of: entities, isIncludingSubentities: true, in: coordinator),
        recipients: recipients
      ) { changes, completion in
        guard !reading.isEmpty else { return completion() }
        let remaining = MutableProperty(reading.count)
        for context in reading {
          context.perform {
            Self.merge(changes, into: context)
            let count = remaining.modify { count in
              count -= 1
              return count
            }
            if count == 0 { completion() }
          }
        }
      }
      self.exchange = exchange
      self.coordinator = coordinator
      saving = NotificationCenter.default
        .signal(for: .NSManagedObjectContextDidSave) { notification -> [String: CoreDataSave.Changes]? in
          guard let saved = notification.object as? NSManagedObjectContext, saved.parent == nil,
            writing == nil || writing === saved, saved.persistentStoreCoordinator === coordinator
          else { return nil }
          return Self.changes(in: notification)
        }
        .sink { [weak exchange] changes in if let changes { exchange?.announce(changes) } }
    }

    /// The names of the entities whose changes are announced and merged, with subentities; `nil` for all entities.
    public var entities: Set<String>? { exchange.entities }

    /// Sets the entities whose changes are announced and merged, from the next save on.
    ///
    /// - Parameters:
    ///   - entities: The names of the entities, or `nil` for all entities. A name that the model does not have matches
    ///     nothing.
    ///   - isIncludingSubentities: A Boolean value that indicates whether to include the entities that inherit from them.
    public func setEntities(_ entities: Set<String>?, includingSubentities isIncludingSubentities: Bool = true) {
      exchange.entities = Self.names(of: entities, isIncludingSubentities: isIncludingSubentities, in: coordinator)
    }

    /// A signal of the saves of other processes, each after it was merged into all contexts that read.
    ///
    /// The first subscriber also receives the saves that were merged before. If these are too many, it receives one that
    /// says that everything may have changed. A subscription keeps the share alive.
    public var incoming: some Signal<CoreDataSave, Never> { KeptSignal(upstream: exchange.incoming, owner: self) }

    /// A signal of the errors of appending to the log and of reading it.
    public var failures: some Signal<AppGroupsLogError, Never> { KeptSignal(upstream: exchange.failures, owner: self) }

    /// Posts `CoreDataShareDidSave` after each merge, for code that observes notifications instead of ``incoming``.
    ///
    /// The `userInfo` has the ``CoreDataSave`` for the key `save`. The notification is posted on a queue of the share. To
    /// be called on the main thread, pass `OperationQueue.main` when you add the observer.
    ///
    /// - Parameter center: The notification center.
    /// - Returns: A token that ends the posting when it is cancelled or released, and keeps the share alive.
    public func postNotifications(to center: NotificationCenter = .default) -> SignalSubscription {
      exchange.postNotifications(to: center).keepAlive(self)
    }

    /// Merges changes on the queue of the context.
    private static func merge(_ changes: SaveUnion, into context: NSManagedObjectContext) {
      if changes.isEverything { context.refreshAllObjects() }
      let objects = [
        NSInsertedObjectsKey: Array(changes.inserted), NSUpdatedObjectsKey: Array(changes.updated),
        NSDeletedObjectsKey: Array(changes.deleted),
      ].filter { !$0.value.isEmpty }
      guard !objects.isEmpty else { return }
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: objects, into: [context])
    }

    /// Returns the changed objects of a save by entity.
    private static func changes(in notification: Notification) -> [String: CoreDataSave.Changes] {
      var changes: [String: CoreDataSave.Changes] = [:]
      let kinds: [(String, WritableKeyPath<CoreDataSave.Changes, Set<URL>>)] = [
        (NSInsertedObjectsKey, \.inserted), (NSUpdatedObjectsKey, \.updated), (NSDeletedObjectsKey, \.deleted),
      ]
      for (key, kind) in kinds {
        for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
          let id = object.objectID
          changes[id.entity.name ?? "", default: CoreDataSave.Changes()][keyPath: kind].insert(id.uriRepresentation())
        }
      }
      return changes
    }

    /// Returns names of entities, and those of all entities that inherit from them.
    private static func names(
      of entities: Set<String>?, isIncludingSubentities: Bool, in coordinator: NSPersistentStoreCoordinator?
    ) -> Set<String>? {
      guard var names = entities, isIncludingSubentities, let model = coordinator?.managedObjectModel else {
        return entities
      }
      var waiting = names.compactMap { model.entitiesByName[$0] }
      while let entity = waiting.popLast() {
        if let name = entity.name { names.insert(name) }
        waiting += entity.subentities
      }
      return names
    }
  }

  extension Notification.Name {
    /// The notification that a ``CoreDataShare`` posts after it has merged a save of another process.
    ///
    /// Its `userInfo` has the ``CoreDataSave`` for the key `save`. The name is the one that CDShare posts.
    public static let CoreDataShareDidSave = SaveExchange.didSaveNotification
  }
#endif
