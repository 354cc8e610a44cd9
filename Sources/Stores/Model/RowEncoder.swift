import AppGroups
import FileSignals
import Foundation

/// An encoder that binds a model's members to the parameters of a statement.
///
/// It is created once for many rows. Models usually encode their members in the order of the columns, so each member is
/// first looked up at the expected index.
final class RowEncoder: Encoder {
  let layout: ColumnLayout
  let statement: SQLiteStatement
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The index of the column that is expected next.
  @exclusivity(unchecked) private var next = 0
  /// The index of the member that is being encoded.
  @exclusivity(unchecked) fileprivate(set) var current = 0
  /// The first failure of a call that cannot throw.
  private var failure: ModelError?
  /// The container, which all rows share.
  ///
  /// It refers back to this object.
  @exclusivity(unchecked) private var containers = KeptContainer()
  private lazy var json: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  init(layout: ColumnLayout, statement: SQLiteStatement) {
    self.layout = layout
    self.statement = statement
  }

  /// Breaks the reference cycle.
  ///
  /// Call this after the last row.
  func end() {
    containers = KeptContainer()
  }

  /// Binds all members.
  ///
  /// Members that the model does not encode are null.
  func bind(_ model: some StoreModel) throws(ModelError) {
    statement.clearBindings()
    next = 0
    do {
      try model.encode(to: self)
    } catch let error as ModelError {
      failure = nil
      throw error
    } catch {
      failure = nil
      throw unencodable("\(error)")
    }
    if let failure {
      self.failure = nil
      throw failure
    }
  }

  /// Binds one value as the member at an index.
  func bind(_ value: some Encodable, at place: Int) throws {
    current = place
    failure = nil
    try writeAny(value)
    if let failure { throw failure }
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

  /// Finds the column of a key and makes it the current one.
  @inline(__always)
  func select(_ key: some CodingKey) throws(ModelError) -> RowEncoder {
    let name = key.stringValue
    let place = next
    if place < layout.columns.count, layout.columns[place].name == name {
      next = place + 1
      current = place
    } else {
      try search(name)
    }
    return self
  }

  @inline(never)
  private func search(_ name: String) throws(ModelError) {
    current = try layout.place(of: name)
    next = current + 1
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
    if value.isNaN { throw unencodable("it is not a number, which SQLite would store as null") }
    statement.bind(value, at: parameter)
  }

  @inline(__always)
  func write(_ value: Float) throws(ModelError) { try write(Double(value)) }

  @inline(__always)
  func write(_ value: some FixedWidthInteger) throws(ModelError) {
    guard let value = Int64(exactly: value) else {
      throw unencodable("\(value) exceeds \(Int64.max), the largest integer in SQLite")
    }
    statement.bind(value, at: parameter)
  }

  /// Writes a value of any type: directly, as the single value that it encodes, or as JSON.
  @inline(__always)
  func writeAny<Value: Encodable>(_ value: Value) throws {
    // Sound: each cast is to the type that was just checked.
    if Value.self == UUID.self {
      statement.bind(unsafeBitCast(value, to: UUID.self).uuidString, at: parameter)
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
    case let url as URL: try write(url)
    case let number as Decimal: try write(number)
    case let id as LogEventID: write(id.description)
    default:
      if layout.columns[current].type == .json { return try writeJSON(value) }
      try value.encode(to: MemberEncoder(row: self))
    }
  }

  private func write(_ url: URL) throws(ModelError) {
    if let base = url.baseURL {
      throw unencodable("the URL is relative to \(base.absoluteString), which would be lost; store its absoluteURL")
    }
    write(url.absoluteString)
  }

  private func write(_ number: Decimal) throws(ModelError) {
    if number.isNaN {
      throw unencodable("it is not a number; make the property optional, and store nil")
    }
    let type = layout.columns[current].type
    guard type == .decimal || type == .json else {
      throw unencodable(
        "the column is listed as \(type.rawValue), which does not compare Decimals correctly; list it as decimal")
    }
    write(number.description)
  }

  private func writeJSON<Value: Encodable>(_ value: Value) throws {
    // A `nil` that is encoded explicitly becomes null, not the string "null".
    if case Optional<Any>.none = value as Any { return writeNull() }
    let data = try json.encode(value)
    // JSON has no NaN, but the encoder writes it for a Decimal. The text may also be part of a string.
    if data.firstRange(of: Data("NaN".utf8)) != nil, !Self.isJSON(data) {
      throw unencodable("it contains a Decimal that is not a number; make that property optional, and store nil")
    }
    write(String(decoding: data, as: UTF8.self))
  }

  private static func isJSON(_ data: Data) -> Bool {
    tolerating(else: false) {
      _ = try JSONDecoder().decode(AnyJSON.self, from: data)
      return true
    }
  }

  /// A type that decodes from any JSON, used only to validate it.
  private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
  }

  // MARK: Failures

  @inline(never)
  func unencodable(_ reason: String) -> ModelError {
    .unencodable(table: layout.table, column: layout.columns[current].name, reason: reason)
  }

  /// Records a failure until it can be thrown.
  func refuse(_ reason: String) -> RefusingEncoder {
    let error = unencodable(reason)
    failure = failure ?? error
    return RefusingEncoder(error: error)
  }
}
