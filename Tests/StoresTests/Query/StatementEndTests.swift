import Foundation
import Signals
import Stores
import SignalsTesting
import TestSupport
import Testing

@Suite("Raw SQL that ends with a semicolon")
struct StatementEndTests {
  @Test(arguments: [
    "SELECT * FROM errand;", "SELECT * FROM errand ; \n ;; ", "SELECT * FROM errand; -- all; of them",
    "SELECT * FROM errand -- all; of them", "SELECT * FROM errand /* ; */; /* the end", "SELECT *, ';' FROM errand;",
    #"SELECT *, 'it''s; so' AS ";a", 1 AS [;b], 2 AS `;c` FROM errand;"#, "SELECT * FROM errand",
  ])
  func `a terminated statement can be refined and observed`(_ sql: String) async throws {
    let database = try liveDatabase()
    try await database.write { try $0.put([Errand(id: 1, title: "bread"), Errand(id: 2, title: "milk")]) }
    let query = Query<Errand>(sql: sql)
    #expect(try await database.read { try $0.all(query.ordered { $0.id }).map(\.id) } == [1, 2])
    #expect(try await database.read { try $0.count(query.where { $0.title == "milk" }) } == 1)
    let values = Recorder<Int>()
    let subscription = database.query(query).sink { values.record($0.count) }
    #expect(values.elements == [2])
    subscription.cancel()
    #expect(try await database.write { try $0.deleteAll(query.where { $0.id == 1 }) } == 1)
  }

  @Test(arguments: ["SELECT * FROM errand; DELETE FROM errand", ";", "", "SELECT * FROM errand;'"])
  func `text after the terminated statement is rejected`(_ sql: String) throws {
    let database = try liveDatabase()
    let error = databaseError { try database.read { try $0.all(Query<Errand>(sql: sql)) } }
    guard case .invalidStatement = error else { return recordUnexpected(error) }
  }
}
