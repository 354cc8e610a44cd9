/// What a column holds.
///
/// | Property | Column |
/// |---|---|
/// | `Int`, `UInt8` and their kin, `Bool` | ``integer`` |
/// | `Double`, `Float`; `Date`, as seconds since 1 January 2001 | ``real`` |
/// | `String`, `UUID` (in capitals), `URL` | ``text`` |
/// | `Decimal` | ``decimal`` |
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

  /// A decimal number, as text with all its digits.
  ///
  /// A ``Query`` compares and sorts it as a number, exactly. It does so with a collation of the connection,
  /// `signals_decimal`, of which nothing is in the file. Indexes are therefore not used for the column. In SQL of your
  /// own, write `price COLLATE signals_decimal`.
  ///
  /// A `Decimal` that is not a number cannot be stored; ``ModelError/unencodable(table:column:reason:)`` says so.
  case decimal

  /// Bytes.
  case blob

  /// A nested value, as JSON text with its keys sorted; dates and data in it are as `JSONEncoder` writes them.
  case json

  /// The type's name in SQL.
  var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text, .decimal, .json: "TEXT"
    case .blob: "BLOB"
    }
  }

  /// The type's name in the fingerprint of a table; decimals are not distinguished from other text in a file.
  var fingerprint: String { self == .decimal ? ColumnType.text.rawValue : rawValue }
}
