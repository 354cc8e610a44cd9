import AppGroups
import CSQLite
import Foundation

/// A decoder that creates values from the rows of a statement.
///
/// It is created once for many rows. Models usually request their members in the order of the columns, so each member
/// is first looked up at the expected index.
final class RowDecoder: Decoder {
  let layout: ColumnLayout
  let statement: SQLiteStatement
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The columns of the model, in order.
  // Sound: only this object accesses them, and frees them when it is released.
  private let places: UnsafeMutablePointer<Place>
  private let placeCount: Int
  /// The index of the column that is expected next.
  @exclusivity(unchecked) private var next = 0
  /// The index of the member that is being decoded.
  @exclusivity(unchecked) private(set) var current = 0
  /// The container, which all rows share.
  ///
  /// It refers back to this object.
  @exclusivity(unchecked) private var containers = KeptContainer()
  private lazy var json = JSONDecoder()

  /// A column of the model.
  private struct Place {
    let name: String
    /// The index of the column in the statement.
    let index: Int32
  }

  /// Creates a decoder of a statement that has the model's columns, in any order.
  ///
  /// - Throws: ``ModelError/unknownColumn(table:column:known:)`` if one is missing.
  init(layout: ColumnLayout, statement: SQLiteStatement, isOrdered: Bool) throws(ModelError) {
    self.layout = layout
    self.statement = statement
    var found: [Place] = []
    let names = isOrdered ? [] : statement.layout.names
    for (place, column) in layout.columns.enumerated() {
      guard let index = isOrdered ? place : names.firstIndex(of: column.name) else {
        throw .unknownColumn(table: layout.table, column: column.name, known: names)
      }
      found.append(Place(name: column.name, index: Int32(truncatingIfNeeded: index)))
    }
    placeCount = found.count
    places = .allocate(capacity: found.count)
    places.initialize(from: found, count: found.count)
  }

  deinit {
    places.deinitialize(count: placeCount)
    places.deallocate()
  }

  /// Breaks the reference cycle.
  ///
  /// Call this after the last row.
  func end() {
    containers = KeptContainer()
  }

  /// Returns the value of the current row.
  @inline(__always)
  func row<Value: Decodable>(_ type: Value.Type) throws(ModelError) -> Value {
    next = 0
    return try decoding { () throws in try Value(from: self) }
  }

  /// Returns the value of one column of the current row.
  func value<Value: Decodable>(_ type: Value.Type, at place: Int) throws -> Value {
    current = place
    return try readAny(type)
  }

  /// Decodes values of the current row, and adds the column to an error.
  @inline(__always)
  func decoding<Value>(_ body: () throws -> Value) throws(ModelError) -> Value {
    do {
      return try body()
    } catch let error as ModelError {
      throw error
    } catch {
      throw undecodable(CodingReason.words(for: error))
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    containers.container(type) { KeyedDecodingContainer(RowDecodingContainer<Key>(row: self)) }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw undecodable("the model has no coding keys") }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw undecodable("the model has no coding keys")
  }

  /// Finds the column of a key and makes it the current one.
  @inline(__always)
  func select(_ key: some CodingKey) throws(ModelError) {
    let name = key.stringValue
    let place = next
    if place < placeCount, places[place].name == name {
      next = place + 1
      current = place
    } else {
      try search(name)
    }
  }

  @inline(never)
  private func search(_ name: String) throws(ModelError) {
    current = try layout.place(of: name)
    next = current + 1
  }

  // MARK: Values

  /// The value of the current column.
  @inline(__always)
  var cell: SQLiteCell { statement.cell(at: places[current].index) }

  @inline(__always)
  var isNull: Bool { cell.isNull }

  @inline(__always)
  func integer(_ cell: SQLiteCell) throws(ModelError) -> Int64 {
    guard cell.type == SQLITE_INTEGER else { throw mismatch("an integer") }
    return cell.int64
  }

  @inline(__always)
  func exactly<Value: FixedWidthInteger>(_ cell: SQLiteCell) throws(ModelError) -> Value {
    let number = try integer(cell)
    guard let value = Value(exactly: number) else {
      throw undecodable("\(number) is out of the range of \(Value.self)")
    }
    return value
  }

  @inline(__always)
  func flag(_ cell: SQLiteCell) throws(ModelError) -> Bool {
    let number = try integer(cell)
    guard number & ~1 == 0 else { throw undecodable("\(number) is neither 0 nor 1") }
    return number == 1
  }

  @inline(__always)
  func double(_ cell: SQLiteCell) throws(ModelError) -> Double {
    let type = cell.type
    guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw mismatch("a number") }
    return cell.double
  }

  func float(_ cell: SQLiteCell) throws(ModelError) -> Float {
    let number = try double(cell)
    let value = Float(number)
    if value.isInfinite, number.isFinite { throw undecodable("\(number) is out of the range of Float") }
    return value
  }

  @inline(__always)
  func text(_ cell: SQLiteCell) throws(ModelError) -> String {
    guard cell.type == SQLITE_TEXT else { throw mismatch("text") }
    guard let text = cell.validText else { throw undecodable("its text is not UTF-8") }
    return text
  }

  private func uuid(_ cell: SQLiteCell) throws(ModelError) -> UUID {
    guard cell.type == SQLITE_TEXT else { throw mismatch("a UUID as text") }
    guard let value = cell.uuid else { throw undecodable("its text is not a UUID") }
    return value
  }

  private func data(_ cell: SQLiteCell) throws(ModelError) -> Data {
    guard cell.type == SQLITE_BLOB else { throw mismatch("bytes") }
    return cell.data
  }

  /// Returns a value of any type, decoded directly, from a single value, or from JSON.
  @inline(__always)
  func readAny<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // Sound: each cast is to the type that was just checked.
    if type == UUID.self { return unsafeBitCast(try uuid(cell), to: type) }
    if type == Date.self {
      return unsafeBitCast(Date(timeIntervalSinceReferenceDate: try double(cell)), to: type)
    }
    if type == Data.self { return unsafeBitCast(try data(cell), to: type) }
    return try readOther(type)
  }

  @inline(never)
  private func readOther<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == URL.self {
      let text = try text(cell)
      guard let value = URL(string: text) as? Value else { throw undecodable("its text is not a URL") }
      return value
    }
    if type == LogEventID.self {
      guard let value = LogEventID(try text(cell)) as? Value else {
        throw undecodable("its text is not the identity of an event in a log")
      }
      return value
    }
    if type == Decimal.self, let value = try readDecimal() as? Value { return value }
    guard layout.columns[current].type == .json, !(isNull && type is any ExpressibleByNilLiteral.Type) else {
      return try Value(from: MemberDecoder(row: self))
    }
    let cell = cell
    guard cell.type == SQLITE_TEXT else { throw mismatch("JSON text") }
    return try json.decodeExplaining(type, from: Data(cell.string.utf8))
  }

  /// Returns a decimal number.
  ///
  /// It accepts `NaN`, which other programs may have written, so that one row does not make the others unreadable.
  private func readDecimal() throws(ModelError) -> Decimal {
    let text = try text(cell)
    if text == "NaN" { return .nan }
    guard DecimalText.isNumber(text) else { throw undecodable("its text is not a number") }
    guard let value = Decimal(string: text), !value.isNaN else {
      throw undecodable("its text is out of the range of Decimal")
    }
    return value
  }

  // MARK: Failures

  @inline(never)
  func undecodable(_ reason: String) -> ModelError {
    .undecodable(
      table: layout.table, column: layout.columns[current].name,
      key: layout.key.map { statement.value(at: places[$0].index).description }, reason: reason
    )
  }

  @inline(never)
  private func mismatch(_ expected: String) -> ModelError {
    let found =
      switch cell.type {
      case SQLITE_INTEGER: "the integer \(SQLiteValue(cell))"
      case SQLITE_FLOAT: "the number \(SQLiteValue(cell))"
      // A sum that is not a number.
      case SQLITE_TEXT where cell.string == "NaN": "NaN"
      case SQLITE_TEXT: "text"
      case SQLITE_BLOB: "bytes"
      default: "null"
      }
    return undecodable("it holds \(found), not \(expected)")
  }
}
