/// One column of a table.
public struct TableColumn: Hashable, Sendable {
  /// The name of the column, which is the coding key of the property.
  public let name: String

  /// The type of the values.
  public let type: ColumnType

  /// A Boolean value that indicates whether the column may be null, as for an optional property.
  public let isOptional: Bool

  /// Creates the description of a column.
  public init(_ name: String, _ type: ColumnType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }
}

extension TableColumn: CustomStringConvertible {
  /// The column definition in SQL.
  public var description: String { "\(name) \(type.sql)\(isOptional ? "" : " NOT NULL")" }
}
