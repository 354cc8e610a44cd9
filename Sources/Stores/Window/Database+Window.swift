extension Database {
  /// Returns a part of the rows of a query, which can be moved and follows changes.
  ///
  /// ``LiveWindow`` has an example.
  ///
  /// - Parameters:
  ///   - query: The query, without a limit and an offset. Without an order, the rows are sorted by key.
  ///   - size: The number of rows, at least 1.
  ///   - scheduling: The time and place of the first read.
  /// - Returns: The window, which shows the first rows; nothing is read until it is subscribed to.
  public func window<Model: StoreModel & Equatable>(
    over query: Query<Model>, size: Int, scheduling: LiveQueryScheduling = .immediate
  ) -> LiveWindow<Model> {
    LiveWindow(self, query, size: size, scheduling: scheduling, isSame: ==)
  }

  /// Returns a part of the rows of a query, which can be moved and follows changes.
  ///
  /// A page of models that are not `Equatable` is sent after each change of the table, even if it is equal.
  ///
  /// - Parameters:
  ///   - query: The query, without a limit and an offset. Without an order, the rows are sorted by key.
  ///   - size: The number of rows, at least 1.
  ///   - scheduling: The time and place of the first read.
  /// - Returns: The window, which shows the first rows; nothing is read until it is subscribed to.
  @_disfavoredOverload
  public func window<Model: StoreModel>(
    over query: Query<Model>, size: Int, scheduling: LiveQueryScheduling = .immediate
  ) -> LiveWindow<Model> {
    LiveWindow(self, query, size: size, scheduling: scheduling, isSame: { _, _ in false })
  }
}
