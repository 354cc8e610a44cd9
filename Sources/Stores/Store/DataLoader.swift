import Signals

/// Loads data from a server into databases, and asks it no more often than need be.
///
/// ```swift
/// import Stores
///
/// struct Note: StoreModel {
///   static let table = TableSpec("note")
///   var id: Int
///   var text: String
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Note.self]))
/// let loader = DataLoader()
/// for _ in 1...2 {
///   let outcome = try await loader.load(into: database, request: "notes", freshness: .seconds(60)) {
///     [Note(id: 1, text: "from the server")]
///   } storing: { notes, transaction in
///     try transaction.put(notes)
///   }
///   print(outcome)
/// }
/// // Prints "loaded"
/// // Prints "fresh"
/// print(try database.read { try $0.count(Note.self) })  // Prints "1"
/// ```
///
/// - **Freshness.** A request that was answered less than so long ago is not sent. One that failed counts for nothing.
/// - **Equal requests** that are made while one is under way get its answer.
/// - **Each database for itself.** What was loaded for one user is not fresh for the next. An answer that comes after
///   its user has logged out is stored nowhere, because that database is closed.
public final class DataLoader: Sendable {
  /// What came of a request.
  public enum Outcome: Hashable, Sendable {
    /// The server has answered, and the answer is in the database.
    case loaded

    /// What the database has is fresh enough; the server was not asked.
    case fresh
  }

  private struct Key: Hashable, Sendable {
    let database: ObjectIdentifier
    let request: String
  }

  /// What is known of a request that was sent before.
  private struct Sent: Sendable {
    weak let database: Database?
    /// The newest one that was sent, unless it failed; then the newest whose answer is stored.
    var number: Int
    /// The newest whose answer is stored.
    var stored: Int
    /// While it is under way.
    var task: Task<Void, any Error>?
    /// When it was answered, unless that does not count any more.
    var answered: Duration?
  }

  private struct UnderWay: Sendable {
    let number: Int
    let task: Task<Void, any Error>
  }

  /// The time since some moment, by a clock that nobody sets.
  private let elapsed: @Sendable () -> Duration
  private let state = Guarded(State())

  private struct State {
    var sent: [Key: Sent] = [:]
    var underWay: [Key: UnderWay] = [:]
    var lastNumber = 0
  }

  /// Makes a loader that knows of no request.
  ///
  /// - Parameter clock: The clock by which answers grow old.
  public init<C: Clock>(clock: C = ContinuousClock()) where C.Duration == Duration {
    let beginning = clock.now
    elapsed = { beginning.duration(to: clock.now) }
  }

  /// Sends a request and stores its answer, unless that has just been done.
  ///
  /// A task that is cancelled leaves the request to the others that wait for it.
  ///
  /// - Parameters:
  ///   - database: The database to load into.
  ///   - request: Names the request: equal names are equal requests.
  ///   - freshness: How long an answer is good; by default, not at all.
  ///   - load: Sends the request.
  ///   - store: Stores the answer, in one transaction.
  /// - Returns: Whether the server was asked.
  /// - Throws: What `load` or `store` threw, or `DatabaseError`; the database has not changed then.
  @discardableResult
  public func load<Value: Sendable>(
    into database: Database,
    request: String,
    freshness: Duration = .zero,
    _ load: @escaping @Sendable () async throws -> Value,
    storing store: @escaping @Sendable (Value, WriteTransaction) throws -> Void
  ) async throws -> Outcome {
    let key = Key(database: ObjectIdentifier(database), request: request)
    let task: Task<Void, any Error>? = state.withLock { state in
      if let request = state.underWay[key] { return request.task }
      if isFresh(state.sent[key], database, freshness) { return nil }
      state.lastNumber += 1
      let number = state.lastNumber
      let task = Task { try await send(number, key, database, load, storing: store) }
      state.underWay[key] = UnderWay(number: number, task: task)
      let last = state.sent[key].flatMap { $0.database === database ? $0 : nil }
      state.sent[key] = Sent(
        database: database, number: number, stored: last?.stored ?? 0, task: task, answered: last?.answered)
      return task
    }
    guard let task else { return .fresh }
    try await task.value
    return .loaded
  }

  /// Forgets when requests were answered, so that the next ones are sent.
  ///
  /// An answer that is still to come does not count, since the server may have given it before it changed: it is stored
  /// only if the request has not been sent again.
  ///
  /// - Parameter request: Which ones; by default all.
  public func invalidate(request: String? = nil) {
    state.withLock { state in
      for key in state.sent.keys where request == nil || key.request == request { state.sent[key]?.answered = nil }
      state.underWay = state.underWay.filter { request != nil && $0.key.request != request }
    }
  }

  private func send<Value: Sendable>(
    _ number: Int, _ key: Key, _ database: Database,
    _ load: @Sendable () async throws -> Value,
    storing store: @escaping @Sendable (Value, WriteTransaction) throws -> Void
  ) async throws {
    do {
      let value = try await load()
      var newer: Sent?
      repeat {
        // If that fails, this answer is better than none.
        _ = await newer?.task?.result
        newer = try await database.write { transaction in
          // In the transaction, before which or after which any newer answer is stored.
          if let newer = self.newer(than: number, key) { return newer }
          try store(value, transaction)
          return nil
        }
      } while newer?.task != nil
    } catch {
      end(number, key, isAnswered: false)
      throw error
    }
    end(number, key, isAnswered: true)
  }

  private func newer(than number: Int, _ key: Key) -> Sent? {
    state.withLock { $0.sent[key].flatMap { $0.number > number ? $0 : nil } }
  }

  private func isFresh(_ last: Sent?, _ database: Database, _ freshness: Duration) -> Bool {
    // Another database may have come to lie where that one was.
    guard let last, last.database === database, let answered = last.answered else { return false }
    return elapsed() - answered < freshness
  }

  private func end(_ number: Int, _ key: Key, isAnswered: Bool) {
    let now = elapsed()
    state.withLock { state in
      let isCurrent = state.underWay[key]?.number == number
      if isCurrent { state.underWay[key] = nil }
      if isAnswered, isCurrent { state.sent[key]?.answered = now }
      if var last = state.sent[key] {
        if isAnswered { last.stored = max(last.stored, number) }
        if last.number == number {
          last.task = nil
          // Then an older answer is better than none, but not better than one that is stored.
          if !isAnswered { last.number = last.stored }
        }
        state.sent[key] = last
      }
      state.sent = state.sent.filter { $0.value.database != nil }
    }
  }
}
