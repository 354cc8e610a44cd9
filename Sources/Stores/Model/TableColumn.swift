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
