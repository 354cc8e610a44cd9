/// The rows that a ``LiveWindow`` shows.
public struct WindowPage<Model: StoreModel>: Sendable {
  /// The rows, in the order of the query.
  public let rows: [Model]

  /// A Boolean value that indicates whether the query has rows before these.
  public let hasPrevious: Bool

  /// A Boolean value that indicates whether the query has rows after these.
  public let hasNext: Bool

  /// Creates a page, by default one without rows.
  public init(rows: [Model] = [], hasPrevious: Bool = false, hasNext: Bool = false) {
    self.rows = rows
    self.hasPrevious = hasPrevious
    self.hasNext = hasNext
  }
}

extension WindowPage: Equatable where Model: Equatable {}
