public import Foundation

/// The objects that one save of a Core Data context has changed, by entity, as the other processes receive them.
///
/// It is the event of the log that a `CoreDataShare` uses, on Apple's platforms. Programs without Core Data can read
/// that log, too.
public struct CoreDataSave: Codable, Sendable, Hashable {
  /// The changed objects of one entity, each identified by the URI of its object ID.
  public struct Changes: Codable, Sendable, Hashable {
    /// The URIs of the inserted objects.
    public var inserted: Set<URL>

    /// The URIs of the updated objects.
    public var updated: Set<URL>

    /// The URIs of the deleted objects.
    public var deleted: Set<URL>

    package init(inserted: Set<URL> = [], updated: Set<URL> = [], deleted: Set<URL> = []) {
      (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }

    /// A Boolean value that indicates whether there are no changed objects.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  /// The name of the process that saved, or `nil` if the saves of unknown processes were lost.
  public let author: String?

  /// The changes of each entity; entities without changes are not included.
  public let entities: [String: Changes]

  /// A Boolean value that indicates whether more objects may have changed than ``entities`` contains.
  ///
  /// It is `true` if saves were lost, and for a save with too many objects for one event. Fetch again what you have
  /// derived from the store.
  public let isEverything: Bool

  /// The only processes that receive the save; `nil` for all.
  package let recipients: Set<String>?

  package init(author: String?, entities: [String: Changes], isEverything: Bool = false, recipients: Set<String>? = nil)
  {
    self.author = author
    self.entities = entities.filter { !$0.value.isEmpty }
    self.isEverything = isEverything
    self.recipients = recipients
  }

  /// The changes of one entity.
  ///
  /// - Parameter entity: The name of the entity.
  public subscript(entity: String) -> Changes { entities[entity] ?? Changes() }

  /// Returns the part of the save that changes some entities, or `nil` if there is none.
  ///
  /// - Parameter names: The names of the entities; `nil` for all.
  /// - Returns: The part, or `nil`.
  func limited(to names: Set<String>?) -> CoreDataSave? {
    let wanted = entities.filter { names?.contains($0.key) != false }
    guard isEverything || !wanted.isEmpty else { return nil }
    return CoreDataSave(author: author, entities: wanted, isEverything: isEverything, recipients: recipients)
  }
}

/// The union of several saves, in their order, as it is merged into contexts.
package struct SaveUnion: Sendable, Equatable {
  package private(set) var inserted: Set<URL> = []
  package private(set) var updated: Set<URL> = []
  package private(set) var deleted: Set<URL> = []
  package private(set) var isEverything = false

  package init(_ saves: some Sequence<CoreDataSave> = []) {
    for save in saves { add(save) }
  }

  /// Adds the next save.
  ///
  /// An insert and a delete of one object cancel, so that no context loads it. What remains is the deletion, because a
  /// context may have fetched the object in between. Stores never use the URI of a deleted object again. So an insert
  /// or update that arrives after the deletion, from another process, is late.
  package mutating func add(_ save: CoreDataSave) {
    isEverything = isEverything || save.isEverything
    for changes in save.entities.values {
      deleted.formUnion(changes.deleted)
      inserted = inserted.union(changes.inserted).subtracting(deleted)
      updated = updated.union(changes.updated).subtracting(deleted).subtracting(inserted)
    }
  }
}
