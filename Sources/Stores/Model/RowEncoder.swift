import Foundation

/// Binds a model's members to the parameters of the statement that puts it.
///
/// It is made once for many rows. Members come in the order of the columns, unless the model says otherwise, so that
/// each is looked for where it is expected first.
final class RowEncoder: Encoder {
  let layout: ModelLayout
  let statement: SQLiteStatement
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The place of the column that is expected next.
  @exclusivity(unchecked) private var next = 0
  /// The place of the member that is being encoded.
  @exclusivity(unchecked) fileprivate(set) var current = 0
  /// What could not be told at once, because the call cannot throw.
  private var failure: ModelError?
  private lazy var member = MemberEncoder(row: self)
  /// The container, which all rows share; it refers back to this object.
  @exclusivity(unchecked) private var containers = KeptEncodingContainer()
  private lazy var json: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  init(layout: ModelLayout, statement: SQLiteStatement) {
    self.layout = layout
    self.statement = statement
  }

  /// Breaks the circle of references; to be called when no more rows follow.
  func end() {
    containers = KeptEncodingContainer()
  }

  /// Binds all members; what the model does not encode is null.
  func bind(_ model: some StoreModel) throws(ModelError) {
    statement.clearBindings()
    next = 0
    do {
      try model.encode(to: self)
    } catch let error as ModelError {
      throw error
    } catch {
      throw unencodable("\(error)")
    }
    if let failure {
      self.failure = nil
      throw failure
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    containers.container(type) { KeyedEncodingContainer(RowEncodingContainer<Key>(row: self)) }
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refuse("it has no coding keys")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    refuse("it has no coding keys")
  }

  /// Finds the column of a key, and makes it the current one.
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

  private var parameter: Int32 {
    @inline(__always) get { Int32(truncatingIfNeeded: current &+ 1) }
  }

  @inline(__always)
  func writeNull() { statement.bindNull(at: parameter) }

  @inline(__always)
  func write(_ value: Bool) { statement.bind(value ? 1 as Int64 : 0, at: parameter) }

  @inline(__always)
  func write(_ value: String) { statement.bind(value, at: parameter) }

  @inline(__always)
  func write(_ value: Double) throws(ModelError) {
    if value.isNaN { throw unencodable("SQLite would take a number that is none for null") }
    statement.bind(value, at: parameter)
  }

  @inline(__always)
  func write(_ value: Float) throws(ModelError) { try write(Double(value)) }

  @inline(__always)
  func write(_ value: some FixedWidthInteger) throws(ModelError) {
    guard let value = Int64(exactly: value) else {
      throw unencodable("\(value) is larger than \(Int64.max), the largest integer of SQLite")
    }
    statement.bind(value, at: parameter)
  }

  /// Writes a value of any type: as itself, as the single value that it encodes, or as JSON.
  @inline(__always)
  func writeAny<Value: Encodable>(_ value: Value) throws {
    // Sound: each cast is to the type that the value was just found to be.
    if Value.self == UUID.self {
      statement.bind(unsafeBitCast(value, to: UUID.self), at: parameter)
    } else if Value.self == Date.self {
      try write(unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
    } else if Value.self == Data.self {
      statement.bind(unsafeBitCast(value, to: Data.self), at: parameter)
    } else {
      try writeOther(value)
    }
  }

  @inline(never)
  private func writeOther<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let url as URL: write(url.absoluteString)
    case let number as Decimal: try write(number)
    default:
      if layout.columns[current].type == .json { return try writeJSON(value) }
      try value.encode(to: member)
    }
  }

  private func write(_ number: Decimal) throws(ModelError) {
    if number.isNaN {
      throw unencodable("it is not a number; make the property optional, and store nil")
    }
    let type = layout.columns[current].type
    guard type == .decimal || type == .json else {
      throw unencodable(
        "the column is listed as \(type.rawValue), which a Decimal is not compared as; list it as decimal")
    }
    write(number.description)
  }

  private func writeJSON<Value: Encodable>(_ value: Value) throws {
    // An optional that is encoded as such is null, not the text "null".
    if case Optional<Any>.none = value as Any { return writeNull() }
    let data = try json.encode(value)
    // JSON has no such number, but the encoder writes that of a Decimal. The text may also be part of a string.
    if data.firstRange(of: Data("NaN".utf8)) != nil, !Self.isJSON(data) {
      throw unencodable("a Decimal in it is not a number; make that property optional, and store nil")
    }
    data.withUnsafeBytes { statement.bindText($0, at: parameter) }
  }

  private static func isJSON(_ data: Data) -> Bool {
    do {
      _ = try JSONDecoder().decode(AnyJSON.self, from: data)
      return true
    } catch {
      return false
    }
  }

  /// Decodes from whatever is JSON, because the decoder reads all of it first.
  private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
  }

  // MARK: Failures

  @inline(never)
  func unencodable(_ reason: String) -> ModelError {
    .unencodable(table: layout.table, column: layout.columns[current].name, reason: reason)
  }

  /// Remembers a failure for when it can be thrown.
  func noteRefusal(_ reason: String) -> ModelError {
    let error = unencodable(reason)
    failure = failure ?? error
    return error
  }

  func refuse(_ reason: String) -> RefusingElements { RefusingElements(error: noteRefusal(reason)) }
}
