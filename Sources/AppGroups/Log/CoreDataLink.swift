#if canImport(CoreData)
  public import CoreData
  import FileSignals
  public import Foundation
  public import Signals

  /// The objects that one save of a Core Data context has changed.
  public struct CoreDataSave: Codable, Sendable, Hashable {
    /// The name of the process that saved.
    public var author: String

    /// The URIs of the inserted objects.
    public var inserted: [URL]

    /// The URIs of the updated objects.
    public var updated: [URL]

    /// The URIs of the deleted objects.
    public var deleted: [URL]
  }

  /// Passes the saves of a Core Data store on to the other processes that share the store.
  ///
  /// Core Data merges the changes of one process only. A link appends the changed objects of each save to a log, and
  /// merges the saves of other processes into a context, in the order of the log. A process that was not running
  /// receives the missed ones when it starts.
  ///
  /// <!-- not compiled -->
  /// ```swift
  /// let container = NSPersistentContainer(name: "Model")  // Its store lies in the group's directory.
  /// let log = try AppGroupsLog<CoreDataSave>(name: "saves", container: groupContainer)
  /// let link = try CoreDataLink(container.viewContext, log: log, author: "widget")
  /// let failures = link.failures.sink { logger.error("\($0)") }
  /// ```
  ///
  /// - **Lifetime.** Keep the link as long as the context. When it is released, the process receives and sends no more.
  /// - **Threads.** A save appends one event on the thread that saved. Saves of others are merged on the queue of the
  ///   context.
  /// - **Repeated saves.** After a crash, a save may be merged a second time, which changes nothing.
  /// - **Batch requests.** `NSBatchInsertRequest` and its relatives post no notification of a save, so they are not
  ///   passed on.
  public final class CoreDataLink: Sendable {
    private let failureEmitter: Emitter<AppGroupsLogError, Never>
    private let subscriptions: [SignalSubscription]

    /// Begins to pass saves on and to merge the saves of other processes.
    ///
    /// - Parameters:
    ///   - context: The context into which saves of other processes are merged. Saves of every context with the same
    ///     coordinator are passed on.
    ///   - log: The log, which all processes open by the same name.
    ///   - author: The name of this process, which no other process with the store has. It is also the name of the
    ///     log's consumer.
    /// - Throws: ``AppGroupsLogError`` if the log cannot be read.
    public init(
      _ context: NSManagedObjectContext, log: AppGroupsLog<CoreDataSave>, author: String
    ) throws(AppGroupsLogError) {
      let events = try log.events(for: author)
      let failures = Emitter<AppGroupsLogError, Never>()
      let coordinator = context.persistentStoreCoordinator
      let saves = NotificationCenter.default.signal(for: .NSManagedObjectContextDidSave) { notification in
        let saved = notification.object as? NSManagedObjectContext
        return saved?.persistentStoreCoordinator === coordinator ? Self.save(notification, by: author) : nil
      }
      subscriptions = [
        saves.sink { save in
          guard let save else { return }
          do throws(AppGroupsLogError) { try log.append(save) } catch { failures.send(error) }
        },
        events.sink { entry in
          if entry.event.author != author { Self.merge(entry.event, into: context) }
        },
        events.failures.sink { failures.send($0) },
      ]
      failureEmitter = failures
    }

    /// The errors of appending to the log and of reading it.
    public var failures: some Signal<AppGroupsLogError, Never> { failureEmitter }

    /// Returns the changed objects of a save, or `nil` if there are none.
    private static func save(_ notification: Notification, by author: String) -> CoreDataSave? {
      let save = CoreDataSave(
        author: author,
        inserted: uris(NSInsertedObjectsKey, in: notification),
        updated: uris(NSUpdatedObjectsKey, in: notification),
        deleted: uris(NSDeletedObjectsKey, in: notification)
      )
      return save.inserted.isEmpty && save.updated.isEmpty && save.deleted.isEmpty ? nil : save
    }

    private static func uris(_ key: String, in notification: Notification) -> [URL] {
      let objects = notification.userInfo?[key] as? Set<NSManagedObject> ?? []
      return objects.map { $0.objectID.uriRepresentation() }
    }

    /// Merges a save on the queue of the context.
    ///
    /// It does not wait. If the process ends before, so does the context, and a new one reads the store.
    private static func merge(_ save: CoreDataSave, into context: NSManagedObjectContext) {
      context.perform {
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [
            NSInsertedObjectsKey: save.inserted, NSUpdatedObjectsKey: save.updated, NSDeletedObjectsKey: save.deleted,
          ],
          into: [context]
        )
      }
    }
  }
#endif
