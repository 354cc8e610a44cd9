import AppGroups
import Foundation
import Signals

/// Saves that several processes announce and merge, as those of a Core Data store.
///
/// The objects are names, and the merged ones are the result of the merges, in place of a context.
///
/// - `share-saves DIR AUTHOR`: announce saves in the log `saves` of a container, and merge those of others; report each
///   merge as `merge INSERTED UPDATED DELETED`, and each save of it as `save AUTHOR ENTITY INSERTED UPDATED DELETED`,
///   with the names separated by commas, and `-` for none
/// - `announce-save ENTITY INSERTED UPDATED DELETED`: announce a save
/// - `announce-saves ENTITY N PREFIX`: announce N saves, each of which inserts one object
/// - `hold-merges`: complete no merge from now on
/// - `unshare-saves`: end the share
final class SaveCommands: CommandFamily {
  private let console: Console
  private var exchange: SaveExchange?
  private let isHolding = MutableProperty(false)
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "share-saves":
      let arguments = try command.arguments(2)
      try share(URL(filePath: arguments[0], directoryHint: .isDirectory), author: arguments[1])
    case "announce-save":
      let arguments = try command.arguments(4)
      let changes = CoreDataSave.Changes(
        inserted: Set(Self.names(arguments[1]).map(Self.uri)), updated: Set(Self.names(arguments[2]).map(Self.uri)),
        deleted: Set(Self.names(arguments[3]).map(Self.uri)))
      try opened().announce([arguments[0]: changes])
    case "announce-saves":
      let arguments = try command.arguments(3)
      let exchange = try opened()
      for number in 1...(try command.number(arguments[1])) {
        exchange.announce([arguments[0]: CoreDataSave.Changes(inserted: [Self.uri("\(arguments[2])\(number)")])])
      }
    case "hold-merges": isHolding.value = true
    case "unshare-saves":
      subscriptions = []
      exchange = nil
    default: return nil
    }
    return ""
  }

  private func share(_ directory: URL, author: String) throws {
    let container = try AppGroupsContainer(directory: directory)
    let log = try AppGroupsLog<CoreDataSave>(name: "saves", container: container)
    let exchange = try SaveExchange(log, author: author) { [console, isHolding] changes, completion in
      let parts = [changes.inserted, changes.updated, changes.deleted].map(Self.text)
      console.report("merge \(parts.joined(separator: " "))\(changes.isEverything ? " everything" : "")")
      if !isHolding.value { completion() }
    }
    exchange.failures.sink { [console] in console.report("failure \($0)") }.store(in: &subscriptions)
    exchange.incoming.sink { [console] save in
      for (entity, changes) in save.entities.sorted(by: { $0.key < $1.key }) {
        let parts = [changes.inserted, changes.updated, changes.deleted].map(Self.text)
        console.report("save \(save.author ?? "?") \(entity) \(parts.joined(separator: " "))")
      }
    }.store(in: &subscriptions)
    self.exchange = exchange
  }

  private static func names(_ text: String) -> [String] {
    text == "-" ? [] : text.split(separator: ",").map(String.init)
  }

  private static func uri(_ name: String) -> URL { URL(filePath: "/\(name)") }

  private static func text(_ uris: Set<URL>) -> String {
    uris.isEmpty ? "-" : uris.map(\.lastPathComponent).sorted().joined(separator: ",")
  }

  private func opened() throws -> SaveExchange {
    guard let exchange else { throw CommandError(description: "no saves are shared") }
    return exchange
  }
}
