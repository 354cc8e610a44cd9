/// A column, or an aggregate of one, that a ``Selection`` can contain.
///
/// ``Column`` and ``Aggregate`` conform; your own types do not.
public protocol QueryExpression<Model>: Sendable {
  /// The model whose rows are selected.
  associatedtype Model: StoreModel

  /// The type of the values.
  associatedtype Value: Decodable

  /// The column, with the function that aggregates it.
  var selected: SelectedColumn { get }
}

/// The SQL of a ``QueryExpression``.
public struct SelectedColumn: Hashable, Sendable {
  let function: Function?
  let column: ColumnReference

  enum Function: Hashable, Sendable {
    case count, distinctCount, sum, average, min, max
  }
}

extension Column: QueryExpression where Value: Decodable {
  /// The column.
  public var selected: SelectedColumn { SelectedColumn(function: nil, column: reference) }
}

/// A value that is computed from one column of several rows.
public struct Aggregate<Model: StoreModel, Value: Decodable>: QueryExpression {
  /// The column and the function.
  public let selected: SelectedColumn

  init(_ function: SelectedColumn.Function, _ column: ColumnReference) {
    selected = SelectedColumn(function: function, column: column)
  }
}
