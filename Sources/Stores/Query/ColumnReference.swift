/// A column that a query names.
@usableFromInline
enum ColumnReference: Sendable {
  /// A column by its name, with its index in the model's table if it is known.
  case named(String, place: Int? = nil)
  /// A key path that is not a column, with the error that is thrown when the query runs.
  case unknown(keyPath: String, ModelError)

  /// The name of the column.
  var name: String {
    get throws(ModelError) {
      switch self {
      case .named(let name, _): return name
      case .unknown(_, let error): throw error
      }
    }
  }

  /// Returns the index of the column in a table.
  func place(in layout: ModelLayout) throws(ModelError) -> Int {
    switch self {
    case .named(let name, let place?) where place < layout.columns.count && layout.columns[place].name == name:
      return place
    case .named(let name, _):
      return try layout.row.place(of: name)
    case .unknown(_, let error): throw error
    }
  }
}

extension ColumnReference: CustomStringConvertible {
  @usableFromInline var description: String {
    switch self {
    case .named(let name, _): name
    case .unknown(let keyPath, _): keyPath
    }
  }
}

extension ColumnReference: Hashable {
  /// Returns a Boolean value that indicates whether two columns have the same name.
  @usableFromInline
  static func == (left: ColumnReference, right: ColumnReference) -> Bool {
    switch (left, right) {
    case (.named(let left, _), .named(let right, _)): left == right
    case (.unknown(let left, _), .unknown(let right, _)): left == right
    default: false
    }
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(description)
  }
}
