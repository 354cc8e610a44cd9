/// The properties of a database's tables that are relevant for collecting changes.
struct TableCatalog {
  /// The information that the update hook provides for a table.
  enum Hook {
    /// The hook reports the keys of the rows.
    case keys
    /// The hook reports only that something has changed.
    case everything
    /// The hook reports nothing usable; triggers report the changes.
    case silent
  }

  /// The properties of one table.
  struct Table {
    var number: Int32
    var hook = Hook.keys
    /// The columns of the key, in lower case.
    var keyColumns: Set<String> = ["rowid"]
    /// Returns the key as an SQL expression, for a row with the given name.
    var key: (_ row: String) -> String = { "\($0).rowid" }
    /// A Boolean value that indicates whether the table's own definition causes rows to be replaced.
    var replaces = false
  }

  /// The SQL function that triggers call.
  static let function = "signals_note_change"

  /// The names by number.
  ///
  /// A number is never reused for another name.
  private(set) var names: [String] = []
  private var numbers: [String: Int32] = [:]
  var tables: [String: Table] = [:]
  /// Tables that must be traced because a statement was run whose changes the hook does not fully report.
  var traced: Set<String> = []
  /// A Boolean value that indicates whether triggers are recursive, so that SQLite also calls them for replaced rows.
  var recursesTriggers = true
  /// A Boolean value that indicates whether one of them replaces rows.
  var triggersReplace = false
  /// A Boolean value that indicates whether a failing statement may keep part of its changes, because of a table or
  /// trigger definition.
  var mayFailHalfway = false

  /// Returns a Boolean value that indicates whether a table belongs to this module.
  ///
  /// Changes of such tables are not reported, except for the jobs of work queues.
  static func isOwn(_ name: String) -> Bool { name.hasPrefix(SQL.ownPrefix) && name != SQL.jobTable }

  func name(_ number: Int32) -> String { names[Int(number)] }

  /// Returns the number of a table, which may be new.
  mutating func number(of name: String) -> Int32 {
    if let number = numbers[name] { return number }
    let number = Int32(names.count)
    names.append(name)
    numbers[name] = number
    return number
  }

  /// Returns the number of a table and the information that the update hook provides for it.
  mutating func hook(of name: String) -> (Int32, Hook) {
    if Self.isOwn(name) { return (number(of: name), .silent) }
    if let table = tables[name] { return (table.number, table.hook) }
    return (number(of: name), .everything)
  }

  /// Returns a table by its name in any spelling.
  func table(_ name: String) -> (name: String, table: Table)? {
    if let table = tables[name] { return (name, table) }
    let lowercased = name.lowercased()
    return tables.first { $0.key.lowercased() == lowercased }.map { ($0.key, $0.value) }
  }

  /// Returns the triggers that a traced table needs, by name.
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
