/// One read of a window.
struct WindowRead<Model: StoreModel> {
  let seek: WindowSeek<Model>
  let size: Int
  let connection: SQLiteConnection

  /// Returns the rows at a position, and the place of the first one.
  ///
  /// All rows come from one transaction, so the page is complete even if the row at the place was deleted.
  func page(at position: WindowPosition) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    if let target = position.target, let row = try seek.row(withKey: target, on: connection) {
      return try page(from: row.place, skipping: max(0, position.offset))
    }
    switch position.place {
    case .start:
      return try page(from: nil, skipping: max(0, position.offset))
    case .end where position.offset >= 0:
      return try complete([], before: nil, hasNext: false, isEnd: true)
    case .end:
      guard let first = try rows(before: nil, size).last else { return (WindowPage(), .end) }
      return try page(before: first.place, position.offset)
    case .row(let place):
      return try position.offset < 0
        ? page(before: place, position.offset) : page(from: place, skipping: position.offset)
    }
  }

  private typealias Placed = WindowSeek<Model>.Placed

  private func rows(before place: [SQLiteValue]?, _ limit: Int) throws(DatabaseError) -> [Placed] {
    try seek.rows(from: place, isReversed: true, limit: limit, on: connection)
  }

  /// Returns the page that begins some rows before a place.
  private func page(
    before place: [SQLiteValue], _ offset: Int
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    let rows = try rows(before: place, -offset + 1)
    return try page(from: rows.count > -offset ? rows[-offset - 1].place : nil, skipping: 0)
  }

  /// Returns the page that begins some rows after a place, or the last one.
  private func page(
    from place: [SQLiteValue]?, skipping count: Int
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    let rows = try seek.rows(from: place, isIncluded: true, limit: count + size + 1, on: connection)
    let shown = rows.dropFirst(count).prefix(size)
    let hasNext = rows.count > count + size
    if place == nil, count == 0 {
      return (WindowPage(rows: shown.map(\.model), hasNext: hasNext), .start)
    }
    // If all rows were skipped, the page ends with the last one, or before the place if there is none.
    return try shown.isEmpty
      ? complete([], before: nil, hasNext: false, isEnd: false)
      : complete(Array(shown), before: shown.first?.place, hasNext: hasNext, isEnd: false)
  }

  /// Fills a page with rows before its first one.
  private func complete(
    _ rows: [Placed], before place: [SQLiteValue]?, hasNext: Bool, isEnd: Bool
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    let missing = size - rows.count
    let previous = try self.rows(before: place, missing + 1)
    let all = previous.prefix(missing).reversed() + rows
    let hasPrevious = previous.count > missing
    let page = WindowPage(rows: all.map(\.model), hasPrevious: hasPrevious, hasNext: hasNext)
    if isEnd { return (page, .end) }
    guard let first = all.first, hasPrevious || missing == 0 else { return (page, .start) }
    return (page, .row(first.place))
  }
}
