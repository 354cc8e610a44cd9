/// The specification of a ``StoreModel``'s table: its name, key and indexes and, if they cannot be inferred, its
/// columns.
public struct TableSpec: Hashable, Sendable {
  /// The name of the table.
  public let name: String

  /// The column that identifies a row.
  public let key: String

  /// The columns, or `nil` if they are inferred from the model.
  public let columns: [TableColumn]?

  /// The indexes, in the order given.
  public let indexes: [TableIndex]

  /// The unique indexes.
  ///
  /// No two rows may have the same values in their columns.
  public let unique: [TableIndex]

  /// Creates the specification of a table.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - key: The column that holds the model's `id`.
  ///   - columns: All columns, in the order in which the model encodes them, if they cannot be inferred; see
  ///     ``StoreModel``.
  ///   - indexes: The columns that are used for searching or sorting. `["age", ["city", "name"]]` creates two indexes,
  ///     the second over two columns.
  ///   - unique: The columns, or groups of columns, in which no two rows may have the same values. They are indexes,
  ///     too.
  public init(
    _ name: String,
    key: String = "id",
    columns: [TableColumn]? = nil,
    indexes: [TableIndex] = [],
    unique: [TableIndex] = []
  ) {
    self.name = name
    self.key = key
    self.columns = columns
    self.indexes = indexes
    self.unique = unique
  }
}
