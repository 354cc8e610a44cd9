import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport

/// A log of saves for one test, and the processes that share it.
struct SaveFixture: Sendable {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  func log(_ limits: LogLimits = LogLimits()) throws -> AppGroupsLog<CoreDataSave> {
    try AppGroupsLog(name: "saves", container: fixture.container, limits: limits)
  }

  /// The number of saves in the log.
  func count() throws -> Int { try Array(log().entries()).count }

  /// Starts a process that shares its saves.
  func peer(_ author: String) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("share-saves \(fixture.path) \(author)")
    return peer
  }
}

/// A share of this process, with its merges and the saves that it received.
struct SaveMember {
  let exchange: SaveExchange
  let merges = Recorder<SaveUnion>()
  let failures: Recorder<AppGroupsLogError>
  let saves: Recorder<CoreDataSave>
  private let completions: Completions

  /// The completions of merges that are held.
  private final class Completions: Sendable {
    let isHolding: MutableProperty<Bool>
    let held = MutableProperty<[@Sendable () -> Void]>([])

    init(isHolding: Bool) { self.isHolding = MutableProperty(isHolding) }
  }

  init(
    _ fixture: SaveFixture, _ author: String, entities: Set<String>? = nil, recipients: Set<String>? = nil,
    isHolding: Bool = false, limits: LogLimits = LogLimits()
  ) throws {
    let completions = Completions(isHolding: isHolding)
    self.completions = completions
    exchange = try SaveExchange(
      fixture.log(limits), author: author, entities: entities, recipients: recipients
    ) { [merges] changes, completion in
      if completions.isHolding.value { completions.held.modify { $0.append(completion) } }
      merges.record(changes)
      if !completions.isHolding.value { completion() }
    }
    failures = exchange.failures.recorded()
    saves = exchange.incoming.recorded()
  }

  /// Completes the merges that are held, and later ones at once.
  func complete() {
    completions.isHolding.value = false
    let held = completions.held.modify { held in
      defer { held = [] }
      return held
    }
    for completion in held { completion() }
  }

  func announce(
    _ entity: String = "Item", inserted: Set<String> = [], updated: Set<String> = [], deleted: Set<String> = []
  ) {
    exchange.announce([entity: changes(inserted: inserted, updated: updated, deleted: deleted)])
  }
}

/// The changes of the objects with some names.
func changes(
  inserted: Set<String> = [], updated: Set<String> = [], deleted: Set<String> = []
) -> CoreDataSave.Changes {
  CoreDataSave.Changes(
    inserted: Set(inserted.map(uri)), updated: Set(updated.map(uri)), deleted: Set(deleted.map(uri)))
}

/// The URI of an object.
func uri(_ name: String) -> URL { URL(filePath: "/\(name)") }
