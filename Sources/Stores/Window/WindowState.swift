import Signals

/// The position of a window, which moves and reads change.
final class WindowState: Sendable {
  private let position = Guarded(WindowPosition())

  func move(_ body: (inout WindowPosition) -> Void) {
    position.withLock { body(&$0) }
  }

  /// Reads the page at the position.
  func page<Model: StoreModel>(
    of query: Query<Model>, size: Int, on connection: SQLiteConnection
  ) throws(DatabaseError) -> WindowPage<Model> {
    let wanted = position.withLock { $0 }
    let seek = try connection.naming { () throws(ModelError) in try WindowSeek(query) }
    let read = WindowRead(seek: seek, size: size, connection: connection)
    let (page, place) = try read.page(at: wanted)
    position.withLock { position in
      // If the window has moved in the meantime, the next read begins at the same place as this one.
      guard position.moves == wanted.moves else { return }
      (position.place, position.offset, position.target) = (place, 0, nil)
    }
    return page
  }
}
