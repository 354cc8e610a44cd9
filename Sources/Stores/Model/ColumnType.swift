/// The type of the values in a column.
///
/// | Property | Column |
/// |---|---|
/// | `Int`, `UInt8` and other integer types; `Bool` | ``integer`` |
/// | `Double`, `Float`; `Date`, as seconds since 1 January 2001 | ``real`` |
/// | `String`, `UUID` (in capitals), `URL`, `LogEventID` | ``text`` |
/// | `Decimal` | ``decimal`` |
/// | `Data` | ``blob`` |
/// | a type that encodes a single value, such as an enumeration with raw values | the column type of that value |
/// | anything else: arrays, dictionaries, nested types | ``json`` |
///
/// A value is read as it was written, or writing it throws ``ModelError/unencodable(table:column:reason:)``: for a
/// number that is not a number, an integer above `Int64.max`, and a `URL` that is relative to another one. There are
/// three exceptions:
///
/// - SQLite stores a whole number in a ``real`` column as an integer, so −0.0 is read as 0.0, which is equal to it.
/// - In ``json``, a relative `URL` is read as an absolute one.
/// - For an optional of an optional, `.some(nil)` is read as `nil`.
@nonexhaustive
public enum ColumnType: String, Hashable, Sendable, Codable, CaseIterable {
  /// A 64-bit integer.
  case integer

  /// A 64-bit floating-point number.
  case real

  /// Text.
  case text

  /// A decimal number, as text with all its digits.
  ///
  /// A ``Query`` compares and sorts it exactly, as a number. For that, it uses the connection's collation
  /// `signals_decimal`, which is not stored in the file. Indexes are therefore not used for the column. In your own
  /// SQL, write `price COLLATE signals_decimal`.
  ///
  /// A `Decimal` that is not a number cannot be stored; the error is ``ModelError/unencodable(table:column:reason:)``.
  case decimal

  /// Bytes.
  case blob

  /// A nested value, as JSON text with sorted keys.
  ///
  /// Dates and data in it have the format of `JSONEncoder`.
  case json

  /// The name of the type in SQL.
  var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text, .decimal, .json: "TEXT"
    case .blob: "BLOB"
    }
  }

  /// The name of the type in the fingerprint of a table.
  ///
  /// In a file, decimals are not distinguished from other text.
  var fingerprint: String { self == .decimal ? ColumnType.text.rawValue : rawValue }
}
