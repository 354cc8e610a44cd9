import Signals

extension Database {
  /// What a read gives, now and after each change of the tables it depends on.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables.
  ///   - read: Reads; it is called with a transaction of its own.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func observe<Element: Equatable & Sendable>(
    _ tables: Set<String>, _ read: @escaping @Sendable (ReadTransaction) throws(DatabaseError) -> Element
  ) -> LiveQuery<Element> {
    LiveQuery(database: self, tables: { _ in tables }, read: read, isSame: ==)
  }

  /// Reads with a closure that can only fail as databases do.
  func readValue<Result>(
    _ body: (ReadTransaction) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    do {
      return try read(body)
    } catch let error as DatabaseError {
      throw error
    } catch {
      stop(because: "A read threw what neither it nor its closure can throw")
    }
  }
}
