/// One column of a table.
public struct TableColumn: Hashable, Sendable {
  /// The column's name: the coding key of the property that it holds.
  public let name: String

  /// What the column holds.
  public let type: ColumnType

  /// Whether the column may hold null, as that of an optional property.
  public let isOptional: Bool

  /// Describes a column.
  public init(_ name: String, _ type: ColumnType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }
}

extension TableColumn: CustomStringConvertible {
  /// The column as SQL says it.
  public var description: String { "\(name) \(type.sql)\(isOptional ? "" : " NOT NULL")" }
}

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
