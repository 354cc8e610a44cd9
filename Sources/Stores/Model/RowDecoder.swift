import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// A decoder that creates values from the rows of a statement.
///
/// It is created once for many rows. Models usually request their members in the order of the columns, so each member
/// is first looked up at the expected index.
final class RowDecoder: Decoder {
  let layout: ColumnLayout
  let statement: SQLiteStatement
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The index in the statement of each column of the model.
  private let indexes: [Int32]
  /// The index of the column that is expected next.
  @exclusivity(unchecked) private var next = 0
  /// The index of the member that is being decoded.
  @exclusivity(unchecked) private(set) var current = 0
  private lazy var member = MemberDecoder(row: self)
  /// The container, which all rows share.
  ///
  /// It refers back to this object.
  @exclusivity(unchecked) private var containers = KeptDecodingContainer()
  private lazy var json = JSONDecoder()

  /// Creates a decoder of a statement that has the model's columns, in any order.
  ///
  /// - Throws: ``ModelError/unknownColumn(table:column:known:)`` if one is missing.
  init(layout: ColumnLayout, statement: SQLiteStatement, isOrdered: Bool) throws(ModelError) {
    self.layout = layout
    self.statement = statement
    guard !isOrdered else {
      indexes = (0..<Int32(layout.columns.count)).map { $0 }
      return
    }
    var indexes: [Int32] = []
    let names = statement.layout.names
    for column in layout.columns {
      guard let index = names.firstIndex(of: column.name) else {
        throw .unknownColumn(table: layout.table, column: column.name, known: names)
      }
      indexes.append(Int32(index))
    }
    self.indexes = indexes
  }

  /// Breaks the reference cycle.
  ///
  /// Call this after the last row.
  func end() {
    containers = KeptDecodingContainer()
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
      throw undecodable(reason(of: error))
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
    if place < layout.columns.count, layout.columns[place].name == name {
      next = place + 1
      current = place
    } else {
      try search(name)
    }
  }

  @inline(never)
  private func search(_ name: String) throws(ModelError) {
    guard let place = layout.places[name] else {
      throw .unknownColumn(table: layout.table, column: name, known: layout.columns.map(\.name))
    }
    next = place + 1
    current = place
  }

  // MARK: Values

  private var index: Int32 {
    @inline(__always) get { indexes[current] }
  }

  var isNull: Bool {
    @inline(__always) get { statement.isNull(at: index) }
  }

  @inline(__always)
  func read(_: Int64.Type) throws(ModelError) -> Int64 {
    let index = index
    guard statement.type(at: index) == SQLITE_INTEGER else { throw mismatch("an integer") }
    return statement.int64(at: index)
  }

  @inline(__always)
  func read<Value: FixedWidthInteger>(_: Value.Type) throws(ModelError) -> Value {
    let number = try read(Int64.self)
    guard let value = Value(exactly: number) else {
      throw undecodable("\(number) is out of the range of \(Value.self)")
    }
    return value
  }

  @inline(__always)
  func read(_: Bool.Type) throws(ModelError) -> Bool {
    let number = try read(Int64.self)
    guard number & ~1 == 0 else { throw undecodable("\(number) is neither 0 nor 1") }
    return number == 1
  }

  @inline(__always)
  func read(_: Double.Type) throws(ModelError) -> Double {
    let index = index
    let type = statement.type(at: index)
    guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw mismatch("a number") }
    return statement.double(at: index)
  }

  func read(_: Float.Type) throws(ModelError) -> Float {
    let number = try read(Double.self)
    let value = Float(number)
    if value.isInfinite, number.isFinite { throw undecodable("\(number) is out of the range of Float") }
    return value
  }

  @inline(__always)
  func read(_: String.Type) throws(ModelError) -> String {
    guard statement.type(at: index) == SQLITE_TEXT else { throw mismatch("text") }
    guard let text = statement.validText(at: index) else { throw undecodable("its text is not UTF-8") }
    return text
  }

  func read(_: UUID.Type) throws(ModelError) -> UUID {
    guard statement.type(at: index) == SQLITE_TEXT else { throw mismatch("a UUID as text") }
    guard let value = statement.uuid(at: index) else { throw undecodable("its text is not a UUID") }
    return value
  }

  func read(_: Data.Type) throws(ModelError) -> Data {
    guard statement.type(at: index) == SQLITE_BLOB else { throw mismatch("bytes") }
    return statement.data(at: index)
  }

  /// Returns a value of any type, decoded directly, from a single value, or from JSON.
  @inline(__always)
  func readAny<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // Sound: each cast is to the type that was just checked.
    if type == UUID.self { return unsafeBitCast(try read(UUID.self), to: type) }
    if type == Date.self {
      return unsafeBitCast(Date(timeIntervalSinceReferenceDate: try read(Double.self)), to: type)
    }
    if type == Data.self { return unsafeBitCast(try read(Data.self), to: type) }
    return try readOther(type)
  }

  @inline(never)
  private func readOther<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == URL.self {
      let text = try read(String.self)
      guard let value = URL(string: text) as? Value else { throw undecodable("its text is not a URL") }
      return value
    }
    if type == Decimal.self, let value = try readDecimal() as? Value { return value }
    guard layout.columns[current].type == .json, !(isNull && type is any ExpressibleByNilLiteral.Type) else {
      return try Value(from: member)
    }
    guard statement.type(at: index) == SQLITE_TEXT else { throw mismatch("JSON text") }
    return try json.decode(type, from: Data(statement.string(at: index).utf8))
  }

  /// Returns a decimal number.
  ///
  /// It accepts `NaN`, which other programs may have written, so that one row does not make the others unreadable.
  private func readDecimal() throws(ModelError) -> Decimal {
    let text = try read(String.self)
    if text == "NaN" { return .nan }
    guard DecimalText.isNumber(text), let value = Decimal(string: text) else {
      throw undecodable("its text is not a number")
    }
    return value
  }

  // MARK: Failures

  @inline(never)
  func undecodable(_ reason: String) -> ModelError {
    .undecodable(
      table: layout.table, column: layout.columns[current].name,
      key: layout.key.map { statement.value(at: indexes[$0]).description }, reason: reason
    )
  }

  @inline(never)
  private func mismatch(_ expected: String) -> ModelError {
    let found =
      switch statement.type(at: index) {
      case SQLITE_INTEGER: "the integer \(statement.value(at: index))"
      case SQLITE_FLOAT: "the number \(statement.value(at: index))"
      case SQLITE_TEXT: "text"
      case SQLITE_BLOB: "bytes"
      default: "null"
      }
    return undecodable("it holds \(found), not \(expected)")
  }

  /// Returns a short reason for a `DecodingError`, whose own description is long.
  private func reason(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "\(error)" }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return context.debugDescription + (path.isEmpty ? "" : " At \(path)")
  }
}
