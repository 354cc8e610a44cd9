public import Signals

/// A part of the rows of a query that can be moved, for lists that are too long to read as a whole.
///
/// ``Database/window(over:size:scheduling:)`` returns it.
///
/// ```swift
/// import Dispatch
/// import Stores
///
/// struct Word: StoreModel, Equatable {
///   static let table = TableSpec("word", indexes: ["text"])
///   var id: Int
///   var text: String
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Word.self]))
/// try database.write { try $0.put((0..<100).map { Word(id: $0, text: "word \($0 + 100)") }) }
/// let seen = DispatchSemaphore(value: 0)
/// let window = database.window(over: Word.ordered { $0.text }, size: 3)
/// let subscription = window.sink { page in
///   print(page.rows.map(\.text), page.hasPrevious, page.hasNext)
///   seen.signal()
/// }
/// seen.wait()  // Prints "["word 100", "word 101", "word 102"] false true"
/// window.moveForward()
/// seen.wait()  // Prints "["word 103", "word 104", "word 105"] true true"
/// subscription.cancel()
/// ```
///
/// - **Reads.** Only the rows of the window are read, and at most one row on each side. This requires an index over
///   the sort columns, with their directions if these differ. If the key is not an integer, it must be the last column
///   of the index.
/// - **Place.** The window remembers the sort values and the key of its first row. It therefore stays in place when
///   other rows are inserted or deleted, even if its first row is deleted. A row whose sort value changes leaves the
///   window.
/// - **Ends.** At the start, the window shows the first rows, also new ones. After ``moveToEnd()``, it shows the last
///   rows, also new ones. In both cases, this lasts until it is moved. A window at the end is filled with earlier rows.
/// - **Values.** A page is sent after each move and each change, unless it is equal. Failures, threads and the first
///   value are as with ``LiveQuery``.
public final class LiveWindow<Model: StoreModel>: Signal, PropertyConvertible, Sendable {
  /// The rows, and the presence of others.
  public typealias Element = WindowPage<Model>

  /// The failure type.
  ///
  /// A window never fails; ``failures`` reports errors.
  public typealias Failure = Never

  /// The number of rows of the query, which is a separate live read.
  ///
  /// SQLite reads all rows or an index to count them.
  public let count: LiveQuery<Int>

  private let size: Int
  private let state = WindowState()
  private let query: LiveQuery<WindowPage<Model>>

  init(_ database: Database, _ rows: Query<Model>, size: Int, scheduling: LiveQueryScheduling) {
    let size = Swift.min(Swift.max(1, size), WindowPosition.most)
    self.size = size
    count = database.observe(scheduling: scheduling) { try $0.count(rows) }
    query = LiveQuery(
      database, scheduling,
      .init(
        read: { [state] transaction in try state.page(of: rows, size: size, on: transaction.connection) },
        empty: { _ in WindowPage() }))
  }

  /// The relation of the last page to the database.
  public var status: Property<SharedValueStatus<DatabaseError>> { query.status }

  /// Sends each failure of a read while the window has subscribers.
  public var failures: some Signal<DatabaseError, Never> { query.failures }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: Receives the pages.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe(_ subscriber: some SignalSubscriber<WindowPage<Model>, Never>) -> SignalSubscription {
    query.subscribe(subscriber)
  }

  /// A property with the last page, without rows before the first read.
  ///
  /// The window is observed for as long as the property or a subscription to it lives.
  public var property: Property<WindowPage<Model>> { query.property(initial: WindowPage()) }

  // MARK: Moving

  /// Shows the next page, or the last rows if fewer are left.
  public func moveForward() { move { $0.move(by: self.size) } }

  /// Shows the previous page, or the first rows if fewer are left.
  public func moveBackward() { move { $0.move(by: -self.size) } }

  /// Shows the first rows.
  public func moveToStart() { move { $0.jump(to: .start) } }

  /// Shows the last rows.
  public func moveToEnd() { move { $0.jump(to: .end) } }

  /// Shows the row with a key as the first one, or as near to the start of the window as the end of the query allows.
  ///
  /// Of the calls since the last read, the last 64 count.
  ///
  /// - Parameter id: The key. If the query has no such row, the window does not move.
  public func scroll(to id: Model.ID) {
    let key = id.sqliteValue
    move { $0.jump(to: key) }
  }

  /// Moves the window, and reads on the queue of the query.
  private func move(_ body: (inout WindowPosition) -> Void) {
    state.move(body)
    query.refresh()
  }
}

extension Database {
  /// Returns a part of the rows of a query, which can be moved and follows changes.
  ///
  /// ``LiveWindow`` has an example. A page of models that are not `Equatable` is sent after each change of the table,
  /// even if it is equal.
  ///
  /// - Parameters:
  ///   - query: The query, without a limit and an offset. Without an order, the rows are sorted by key.
  ///   - size: The number of rows, at least 1.
  ///   - scheduling: The time and place of the first read.
  /// - Returns: The window, which shows the first rows; nothing is read until it is subscribed to.
  public func window<Model: StoreModel>(
    over query: Query<Model>, size: Int, scheduling: LiveQueryScheduling = .immediate
  ) -> LiveWindow<Model> {
    LiveWindow(self, query, size: size, scheduling: scheduling)
  }
}

/// The rows that a ``LiveWindow`` shows.
public struct WindowPage<Model: StoreModel>: Sendable {
  /// The rows, in the order of the query.
  public internal(set) var rows: [Model] = []

  /// A Boolean value that indicates whether the query has rows before these.
  public internal(set) var hasPrevious = false

  /// A Boolean value that indicates whether the query has rows after these.
  public internal(set) var hasNext = false
}

extension WindowPage: Equatable where Model: Equatable {}

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
    let seek = try connection.naming(WindowSeek(query))
    let read = WindowRead(seek: seek, size: size, connection: connection)
    let (page, place) = try read.page(at: wanted)
    position.withLock { position in
      // If the window has moved in the meantime, the next read begins at the same place as this one.
      guard position.moves == wanted.moves else { return }
      (position.place, position.offset, position.targets) = (place, 0, [])
    }
    return page
  }
}

/// The position of a window in the result of a query.
struct WindowPosition: Hashable, Sendable {
  /// The place of the first row.
  enum Place: Hashable, Sendable {
    /// The beginning of the result, whichever row is first.
    case start
    /// As many rows as fit before the end of the result.
    case end
    /// The values of the sort columns and of the key; the row itself may be deleted.
    case row([SQLiteValue])
  }

  /// A jump to a row, which has no effect if the row is not in the result.
  struct Target: Hashable, Sendable {
    let key: SQLiteValue
    /// The number of rows by which the window is to move after the jump.
    var offset = 0
  }

  /// The largest number of rows of a page or of a move, so that no sum of them overflows.
  static let most = Int.max / 4
  /// The number of jumps that are kept.
  ///
  /// A window that no one observes is not read, however often it is moved.
  private static let mostTargets = 64

  var place = Place.start
  /// The number of rows by which the window is to move from the place; negative to move towards the start.
  var offset = 0
  /// The jumps to rows after these moves, in order.
  var targets: [Target] = []
  /// The number of moves so far, by which a read detects that it is outdated.
  var moves = 0

  mutating func jump(to place: Place) {
    (self.place, offset, targets) = (place, 0, [])
    moves += 1
  }

  mutating func jump(to target: SQLiteValue) {
    if targets.count == Self.mostTargets { targets.removeFirst() }
    targets.append(Target(key: target))
    moves += 1
  }

  mutating func move(by count: Int) {
    let last = targets.indices.last
    let sum = Self.limited((last.map { targets[$0].offset } ?? offset) + Self.limited(count))
    if let last { targets[last].offset = sum } else { offset = sum }
    moves += 1
  }

  private static func limited(_ count: Int) -> Int { Swift.min(Swift.max(count, -most), most) }
}
