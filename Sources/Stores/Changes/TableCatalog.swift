/// What is known about the tables of a database, as far as it matters to whoever collects changes.
struct TableCatalog {
  /// What the update hook's word on a table is worth.
  enum Hook {
    /// It tells the keys of the rows.
    case keys
    /// It tells that something has changed.
    case everything
    /// Triggers tell.
    case silent
  }

  /// One table.
  struct Table {
    var number: Int32
    var hook = Hook.keys
    /// The columns of the key, in lower case.
    var keyColumns: Set<String> = ["rowid"]
    /// The key in SQL, of the row that is called so.
    var key: (_ row: String) -> String = { "\($0).rowid" }
    /// Whether rows are replaced because the table's own definition says so.
    var replaces = false
  }

  /// The function that triggers call.
  static let function = "signals_note_change"

  /// Names by number; a number is never given to another name.
  private(set) var names: [String] = []
  private var numbers: [String: Int32] = [:]
  var tables: [String: Table] = [:]
  /// Tables that must be traced since a statement was run that the hook does not tell enough of.
  var traced: Set<String> = []
  /// Whether there are triggers beside our own.
  var hasTriggers = false
  /// Whether one of them replaces rows.
  var triggersReplace = false
  /// Whether a statement that fails may leave what it has done, because a table or trigger says so.
  var mayFailHalfway = false

  /// Whether a table is one of those that this module keeps for itself, of whose changes nobody is told.
  static func isOwn(_ name: String) -> Bool { name.hasPrefix(SQL.ownPrefix) }

  func name(_ number: Int32) -> String { names[Int(number)] }

  /// The number of a table, old or new.
  mutating func number(of name: String) -> Int32 {
    if let number = numbers[name] { return number }
    let number = Int32(names.count)
    names.append(name)
    numbers[name] = number
    return number
  }

  /// What to do with the hook's word on a table.
  mutating func hook(of name: String) -> (Int32, Hook) {
    if Self.isOwn(name) { return (number(of: name), .silent) }
    if let table = tables[name] { return (table.number, table.hook) }
    return (number(of: name), .everything)
  }

  /// A table by a name in any spelling.
  func table(_ name: String) -> (name: String, table: Table)? {
    if let table = tables[name] { return (name, table) }
    let lowercased = name.lowercased()
    return tables.first { $0.key.lowercased() == lowercased }.map { ($0.key, $0.value) }
  }

  /// The triggers that a traced table needs, by name.
  func triggers(of name: String, _ table: Table) -> [String: String] {
    let note = { (operation: Int, keys: String) in
      "BEGIN SELECT \(Self.function)(\(table.number), \(operation), \(keys)); END"
    }
    let (old, new) = (table.key("old"), table.key("new"))
    let bodies = [
      "insert": note(0, new), "delete": note(1, old), "update": note(2, "\(old), \(new)"),
    ]
    return Dictionary(
      uniqueKeysWithValues: bodies.map { operation, body in
        let trigger = "signals_\(operation)_\(name)"
        let event = "AFTER \(operation.uppercased()) ON main.\(SQL.name(name))"
        return (trigger, "CREATE TEMP TRIGGER \(SQL.name(trigger)) \(event) \(body)")
      })
  }
}
