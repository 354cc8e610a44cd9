/// The table of a ``StoreModel``: its name, its key, its indexes and, where they cannot be inferred, its columns.
public struct TableSpec: Hashable, Sendable {
  /// The table's name.
  public let name: String

  /// The column by which a row is identified.
  public let key: String

  /// The columns, if they are not inferred from the model.
  public let columns: [TableColumn]?

  /// What is indexed, in the order given.
  public let indexes: [TableIndex]

  /// What no two rows may have in common.
  public let unique: [TableIndex]

  /// Describes a table.
  ///
  /// - Parameters:
  ///   - name: The table's name.
  ///   - key: The column that holds the model's `id`.
  ///   - columns: All columns, in the order in which the model encodes them, if they cannot be inferred; see
  ///     ``StoreModel``.
  ///   - indexes: Columns by which is searched or sorted: `["age", ["city", "name"]]` makes two indexes, the second
  ///     over two columns.
  ///   - unique: Columns, or groups of columns, that no two rows may have in common; they are indexes, too.
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
