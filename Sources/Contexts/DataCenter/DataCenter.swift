import Foundation
import Signals
public import Stores

/// Fills databases from a server, and asks it no more often than need be.
///
/// ```swift
/// import Contexts
/// import Stores
///
/// struct Note: StoreModel {
///   static let table = TableSpec("note")
///   var id: Int
///   var text: String
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Note.self]))
/// let center = DataCenter()
/// for _ in 1...2 {
///   let outcome = try await center.fill(database, request: "notes", freshness: .seconds(60)) {
///     [Note(id: 1, text: "from the server")]
///   } storing: { notes, transaction in
///     try transaction.put(notes)
///   }
///   print(outcome)
/// }
/// // Prints "filled"
/// // Prints "fresh"
/// print(try database.read { try $0.count(Note.self) })  // Prints "1"
/// ```
///
/// - **Freshness.** A request that was answered less than so long ago is not sent. One that failed counts for nothing.
/// - **Equal requests** that are made while one is under way get its answer.
/// - **Each database for itself.** What was filled for one user is not fresh for the next. An answer that comes after
///   its user has logged out is stored nowhere, because that database is closed.
public final class DataCenter: Sendable {
  /// What came of a request.
  public enum Outcome: Hashable, Sendable {
    /// The server has answered, and the answer is in the database.
    case filled

    /// What the database has is fresh enough; the server was not asked.
    case fresh
  }

  private struct Key: Hashable, Sendable {
    let database: ObjectIdentifier
    let request: String
  }

  private struct Answered: Sendable {
    weak let database: Database?
    let date: Date
  }

  private let time: SessionTime
  private let lock = Lock()
  private nonisolated(unsafe) var answered: [Key: Answered] = [:]  // Sound: guarded by the lock, like the next one.
  private nonisolated(unsafe) var underWay: [Key: Task<Void, any Error>] = [:]

  /// Makes a center that knows of no request.
  ///
  /// - Parameter time: The time by which answers grow old.
  public init(time: SessionTime = .system) {
    self.time = time
  }

  /// Sends a request and stores its answer, unless that has just been done.
  ///
  /// A task that is cancelled leaves the request to the others that wait for it.
  ///
  /// - Parameters:
  ///   - database: What to fill.
  ///   - request: Names the request: equal names are equal requests.
  ///   - freshness: How long an answer is good; by default, not at all.
  ///   - load: Sends the request.
  ///   - store: Stores the answer, in one transaction.
  /// - Returns: Whether the server was asked.
  /// - Throws: What `load` or `store` threw, or `DatabaseError`; the database has not changed then.
  @discardableResult
  public func fill<Value: Sendable>(
    _ database: Database,
    request: String,
    freshness: Duration = .zero,
    _ load: @escaping @Sendable () async throws -> Value,
    storing store: @escaping @Sendable (Value, WriteTransaction) throws -> Void
  ) async throws -> Outcome {
    let key = Key(database: ObjectIdentifier(database), request: request)
    let task: Task<Void, any Error>? = lock.withLock {
      if let task = underWay[key] { return task }
      if isFresh(key, database, freshness) { return nil }
      let task = Task {
        do {
          let value = try await load()
          try await database.write { try store(value, $0) }
        } catch {
          end(key, database, isAnswered: false)
          throw error
        }
        end(key, database, isAnswered: true)
      }
      underWay[key] = task
      return task
    }
    guard let task else { return .fresh }
    try await task.value
    return .filled
  }

  /// Forgets when requests were answered, so that the next ones are sent.
  ///
  /// - Parameter request: Which ones; by default all.
  public func invalidate(request: String? = nil) {
    lock.withLock {
      answered = answered.filter { request != nil && $0.key.request != request }
    }
  }

  private func isFresh(_ key: Key, _ database: Database, _ freshness: Duration) -> Bool {
    // Another database may have come to lie where that one was.
    guard let last = answered[key], last.database === database else { return false }
    // A clock that was put back makes nothing fresh for ever.
    let age = time.now.timeIntervalSince(last.date)
    return age >= 0 && age < freshness.seconds
  }

  private func end(_ key: Key, _ database: Database, isAnswered: Bool) {
    let now = time.now
    lock.withLock {
      underWay[key] = nil
      if isAnswered { answered[key] = Answered(database: database, date: now) }
      answered = answered.filter { $0.value.database != nil }
    }
  }
}
