public import Foundation

/// An error caused by a model that does not match its table, or by a row that does not match its model.
///
/// When it is thrown, nothing has been written.
@nonexhaustive
public enum ModelError: Error, Hashable, Sendable {
  /// The name of a table, a column or an index is invalid.
  case invalidName(table: String, name: String, reason: String)

  /// The columns could not be inferred by decoding the model; `column` is the last one that it requested.
  case columnsNotInferable(table: String, column: String?, reason: String)

  /// The table has no such column.
  case unknownColumn(table: String, column: String, known: [String])

  /// A column was compared with a value of a different type.
  case unfitValue(table: String, column: String, type: ColumnType, found: ColumnType)

  /// A key path in a query is not a column.
  ///
  /// It is not a stored property, or the model cannot be decoded from invented rows.
  case notAColumn(table: String, keyPath: String, reason: String)

  /// The key's column is missing, may be null, or cannot hold the type of the model's `id`.
  case invalidKey(table: String, column: String, reason: String)

  /// The query of a window has a limit or an offset.
  case limitedWindow(table: String)

  /// An index or constraint of the specification is invalid.
  case invalidConstraint(table: String, constraint: String, reason: String)

  /// The rows of the table cannot be searched for words.
  case notSearchable(table: String, reason: String)

  /// A value cannot be stored in its column.
  case unencodable(table: String, column: String, reason: String)

  /// The value of a column cannot be decoded as the model's property; `key` is the row's key, if it is known.
  case undecodable(table: String, column: String, key: String?, reason: String)
}

extension ModelError: CustomStringConvertible, LocalizedError {
  /// A description of the problem, the table and column, and the remedy.
  public var description: String {
    switch self {
    case .invalidName(let table, let name, let reason):
      "\(name.debugDescription) cannot be a name in the table \(table.debugDescription): \(reason). "
        + "Correct it in the model or its TableSpec."
    case .columnsNotInferable(let table, let column, let reason):
      "The columns of \(table.debugDescription) cannot be inferred"
        + (column.map { ", because of \($0.debugDescription)" } ?? "") + ": \(reason). "
        + "You can always list all columns in its TableSpec."
    case .unknownColumn(let table, let column, let known):
      "The table \(table.debugDescription) has no column \(column.debugDescription); it has \(known.joined(separator: ", ")). "
        + "Check the spelling."
    case .unfitValue(let table, let column, let type, let found):
      "The column \(column.debugDescription) of \(table.debugDescription) has the type \(type.rawValue), and cannot be compared with "
        + "\(found.rawValue). Compare it with a value of its type."
    case .notAColumn(let table, let keyPath, let reason):
      "\(keyPath) is not a column of the table \(table.debugDescription): \(reason). "
        + "Use a stored property, or list the key path with its column in the model's columnNames."
    case .invalidKey(let table, let column, let reason):
      "\(column.debugDescription) cannot be the key of the table \(table.debugDescription): \(reason). "
        + "Name the column of the model's id in its TableSpec."
    case .limitedWindow(let table):
      "A window over \(table.debugDescription) cannot be read, because its query has a limit or an offset. Remove them, and "
        + "choose the size of the window."
    case .invalidConstraint(let table, let constraint, let reason):
      "\(constraint.debugDescription) cannot be a constraint of the table \(table.debugDescription): \(reason). "
        + "Correct it in the TableSpec."
    case .notSearchable(let table, let reason):
      "The table \(table.debugDescription) cannot be searched: \(reason). Add a SearchIndex to its TableSpec, and begin the "
        + "query with matching(_:)."
    case .unencodable(let table, let column, let reason):
      "The value for the column \(column.debugDescription) of \(table.debugDescription) cannot be stored: \(reason)."
    case .undecodable(let table, let column, let key, let reason):
      "The column \(column.debugDescription) of \(table.debugDescription)" + (key.map { ", in the row \($0)," } ?? "")
        + " cannot be read: \(reason)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
