import AppGroups
import Cluster
import Foundation
import Signals
import Stores

/// A value with several fields, which a process reads, edits for a while, and writes.
///
/// - `card-file DIR`, `card-suite DIR`, `card-database PATH`, `card-cluster URLS`: open the card in a place
/// - `card-read`: read the card, on which the next edit is based, and return its fields
/// - `card-edit FIELD N`: N times, increment a field of the card that this process knows, and write it, merged with the
///   changes of others; return the number of merges
/// - `card-replace FIELD`: the same once, unless others have changed the card
/// - `card-delete`: delete the card
final class CardCommands: CommandFamily {
  private var place: (any CardPlace)?
  private var base = Card()

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "card-file":
      let container = try AppGroupsContainer(directory: URL(filePath: command.argument(), directoryHint: .isDirectory))
      place = try AppGroupsFile(name: "card.json", initialValue: Card(), container: container)
    case "card-suite":
      let container = try AppGroupsContainer(directory: URL(filePath: command.argument(), directoryHint: .isDirectory))
      place = try AppGroupsSuite(name: "cards", container: container).preference("card", default: Card())
    case "card-database":
      let url = URL(filePath: try command.argument())
      let schema = Schema(version: 1, models: [Card.self], creation: { try $0.put(Card()) })
      place = CardTable(database: try Database(.file(url), schema: schema, busyTimeout: .seconds(60)))
    case "card-cluster":
      let endpoints = try command.argument().split(separator: ",").compactMap { URL(string: String($0)) }
      let cluster = try EtcdCluster(endpoints: endpoints, namespace: "fleet")
      place = CardKey(value: ClusterValue(key: "card", initialValue: Card(), cluster: cluster))
    case "card-read":
      base = try opened().readCard()
      return base.description
    case "card-edit":
      let arguments = try command.arguments(2)
      let field = try Card.field(arguments[0])
      var count = 0
      for _ in 0..<(try command.number(arguments[1])) {
        let (stored, isMerged) = try edit(field, isMerging: true)
        base = stored
        count += isMerged ? 1 : 0
      }
      return "\(count)"
    case "card-replace":
      base = try edit(Card.field(command.argument()), isMerging: false).stored
    case "card-delete":
      guard let table = place as? CardTable else { throw CommandError(description: "no database is open") }
      try table.database.write { _ = try $0.delete(Card.self, id: 1) }
    default: return nil
    }
    return ""
  }

  private func edit(
    _ field: any WritableKeyPath<Card, Int> & Sendable, isMerging: Bool
  ) throws -> (stored: Card, isMerged: Bool) {
    var mine = base
    mine[keyPath: field] += 1
    let isMerged = MutableProperty(false)
    let merge: @Sendable (Card, Card, Card) -> Card = { base, mine, stored in
      isMerged.value = true
      var merged = stored
      for field in Card.fields.values where mine[keyPath: field] != base[keyPath: field] {
        merged[keyPath: field] = mine[keyPath: field]
      }
      return merged
    }
    return (try opened().write(mine, basedOn: base, merging: isMerging ? merge : nil), isMerged.value)
  }

  private func opened() throws -> any CardPlace {
    guard let place else { throw CommandError(description: "no card is open") }
    return place
  }
}

/// A value with several fields.
private struct Card: StoreModel, Equatable, CustomStringConvertible {
  static let table = TableSpec("card")
  var id = 1
  var title = 0
  var text = 0
  var color = 0

  var description: String { "\(title) \(text) \(color)" }

  static let fields: [String: any WritableKeyPath<Card, Int> & Sendable] = [
    "title": \.title, "text": \.text, "color": \.color,
  ]

  static func field(_ name: String) throws -> any WritableKeyPath<Card, Int> & Sendable {
    guard let field = fields[name] else { throw CommandError(description: "a card has no field \(name)") }
    return field
  }
}

/// A place of a card.
private protocol CardPlace {
  func readCard() throws -> Card
  func write(_ card: Card, basedOn base: Card, merging merge: (@Sendable (Card, Card, Card) throws -> Card)?) throws
    -> Card
}

extension CardPlace where Self: BlockingSharedValue, Value == Card {
  func readCard() throws -> Card { try read() }

  func write(
    _ card: Card, basedOn base: Card, merging merge: (@Sendable (Card, Card, Card) throws -> Card)?
  ) throws -> Card {
    let merge: ((Card, Card, Card) throws -> Card)? = merge
    return try write(card, basedOn: base, merging: merge)
  }
}

extension AppGroupsFile<Card>: CardPlace {}

extension SuiteValue<Card>: CardPlace {}

private struct CardTable: CardPlace {
  let database: Database

  func readCard() throws -> Card {
    guard let card = try database.read({ try $0.find(Card.self, id: 1) }) else {
      throw CommandError(description: "there is no card")
    }
    return card
  }

  func write(
    _ card: Card, basedOn base: Card, merging merge: (@Sendable (Card, Card, Card) throws -> Card)?
  ) throws -> Card {
    try database.write { try $0.put(card, basedOn: base, merging: merge) }
  }
}

private struct CardKey: CardPlace {
  let value: ClusterValue<Card>

  func readCard() throws -> Card {
    let card = MutableProperty(Card())
    try wait { [value] in card.value = try await value.update { $0 } }
    return card.value
  }

  func write(
    _ card: Card, basedOn base: Card, merging merge: (@Sendable (Card, Card, Card) throws -> Card)?
  ) throws -> Card {
    let stored = MutableProperty(card)
    try wait { [value] in stored.value = try await value.write(card, basedOn: base, merging: merge) }
    return stored.value
  }
}
