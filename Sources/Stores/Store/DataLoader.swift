import Signals

/// A loader of data from a server into databases, which avoids unnecessary requests.
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
/// - **Freshness:** A request is not sent if its last answer is more recent than the given duration. A failed request
///   does not count.
/// - **Equal requests:** A request that is made while an equal one is in progress receives its answer.
/// - **Databases:** Each database is treated separately. Data loaded for one user does not count as fresh for the next.
///   An answer that arrives after its user has logged out is not stored, because that database is closed.
public final class DataLoader: Sendable {
  /// The outcome of a request.
  @nonexhaustive
  public enum Outcome: Hashable, Sendable {
    /// The server has answered, and the answer has been stored in the database.
    case loaded

    /// The stored data is fresh enough, and no request was sent.
    case fresh
  }

  private struct Key: Hashable, Sendable {
    let database: ObjectIdentifier
    let request: String
  }

  /// The state of a request that was sent before.
  private struct Sent: Sendable {
    weak let database: Database?
    /// The number of the newest request, or, if that failed, of the newest one whose answer is stored.
    var number: Int
    /// The number of the newest request whose answer is stored.
    var stored: Int
    /// The task of the request, while it is in progress.
    var task: Task<Void, any Error>?
    /// The time of the answer, unless it has been invalidated.
    var answered: Duration?
  }

  private struct UnderWay: Sendable {
    let number: Int
    let task: Task<Void, any Error>
  }

  /// Returns the time since a fixed moment, by a monotonic clock.
  private let elapsed: @Sendable () -> Duration
  private let state = Guarded(State())

  private struct State {
    var sent: [Key: Sent] = [:]
    var underWay: [Key: UnderWay] = [:]
    var lastNumber = 0
  }

  /// Creates a loader.
  ///
  /// - Parameter clock: The clock that measures the age of answers.
  public init<C: Clock>(clock: C = ContinuousClock()) where C.Duration == Duration {
    let beginning = clock.now
    elapsed = { beginning.duration(to: clock.now) }
  }

  /// Sends a request and stores its answer, unless the stored answer is fresh enough.
  ///
  /// If a task is cancelled, the request continues for the other tasks that wait for it.
  ///
  /// - Parameters:
  ///   - database: The database to load into.
  ///   - request: The identity of the request. Equal values are equal requests.
  ///   - freshness: The time for which an answer is fresh; by default zero.
  ///   - load: A closure that sends the request.
  ///   - store: A closure that stores the answer, in one transaction.
  /// - Returns: The outcome.
  /// - Throws: The error that `load` or `store` throws, or `DatabaseError`. The database is then unchanged.
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

  /// Invalidates the answers of requests, so that the next ones are sent.
  ///
  /// An answer that has not arrived yet does not count as fresh, since the server may have created it before its data
  /// changed. It is stored only if the request has not been sent again.
  ///
  /// - Parameter request: The requests to invalidate; by default all.
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
        // If the newer request fails, this answer is better than none.
        _ = await newer?.task?.result
        newer = try await database.write { transaction in
          // The check is inside the transaction, so that a newer answer is stored either before it or after it.
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
    // Another database may have the same address in memory.
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
          // An older answer is then better than none, but not better than the one that is stored.
          if !isAnswered { last.number = last.stored }
        }
        state.sent[key] = last
      }
      state.sent = state.sent.filter { $0.value.database != nil }
    }
  }
}
