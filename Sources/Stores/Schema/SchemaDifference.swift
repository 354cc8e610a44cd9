/// A difference between a table in a file and the specification of its model.
public struct SchemaDifference: Hashable, Sendable {
  /// A part of a table.
  package enum Part: Hashable, Sendable {
    /// The table itself.
    case table
    /// A column, with its name.
    case column(String)
    /// The default value of a column, with its name.
    case defaultValue(String)
    /// The collation of a column, with its name.
    case collation(String)
    /// A foreign key, with its columns.
    case foreignKey([String])
    /// A check.
    case check
    /// An index.
    case index
    /// The full-text index.
    case search
  }

  /// The part that differs.
  package let part: Part

  /// The definition that the model expects, or `nil` if only the file has the part.
  package let expected: String?

  /// The definition in the file, or `nil` if only the model has the part.
  package let found: String?
}

extension SchemaDifference: CustomStringConvertible {
  /// The part, the expected definition and the one in the file.
  public var description: String {
    switch (expected, found) {
    case (let expected?, let found?): "\(part) is \(found), but the model expects \(expected)"
    case (let expected?, nil): "\(part) is missing; the model expects \(expected)"
    case (nil, let found): "\(part) exists only in the file" + (found.map { ": \($0)" } ?? "")
    }
  }
}

extension SchemaDifference.Part: CustomStringConvertible {
  /// The kind and name of the part.
  package var description: String {
    switch self {
    case .table: "the table"
    case .column(let name): "the column \(name.debugDescription)"
    case .defaultValue(let name): "the default value of the column \(name.debugDescription)"
    case .collation(let name): "the collation of the column \(name.debugDescription)"
    case .foreignKey(let columns): "the foreign key (\(columns.joined(separator: ", ")))"
    case .check: "a check"
    case .index: "an index"
    case .search: "the full-text index"
    }
  }
}
