/// What a column holds.
///
/// | Property | Column |
/// |---|---|
/// | `Int`, `UInt8` and their kin, `Bool` | ``integer`` |
/// | `Double`, `Float`; `Date`, as seconds since 1 January 2001 | ``real`` |
/// | `String`, `UUID` (in capitals), `URL`, `Decimal` | ``text`` |
/// | `Data` | ``blob`` |
/// | a type that encodes a single value, such as an enumeration with raw values | what that value is kept as |
/// | anything else: arrays, dictionaries, nested types | ``json`` |
public enum ColumnType: String, Hashable, Sendable, Codable, CaseIterable {
  /// An integer of 64 bits.
  case integer

  /// A floating-point number of 64 bits.
  case real

  /// A text.
  case text

  /// Bytes.
  case blob

  /// A nested value, as JSON text with its keys sorted; dates and data in it are as `JSONEncoder` writes them.
  case json

  /// The type's name in SQL.
  var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text, .json: "TEXT"
    case .blob: "BLOB"
    }
  }
}
