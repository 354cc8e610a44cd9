import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// Texts that begin with "-" come before the empty one.
private let minusFirst = DatabaseCollation("minus_first") { first, second in
  let keys = [first, second].map { $0.hasPrefix("-") ? (0, $0) : (1, $0) }
  return keys[0] < keys[1] ? .orderedAscending : keys[1] < keys[0] ? .orderedDescending : .orderedSame
}

private struct Score: StoreModel, Hashable {
  static let table = TableSpec("score", indexes: ["name"], collations: ["name": "minus_first"])
  var id: Int
  var name: String?
}

@Suite("Windows and queries of any size", .patient)
struct WindowLimitTests {
  let database: Database

  init() throws {
    database = try Database(
      .memory, schema: Schema(version: 1, models: [Score.self]), collations: [minusFirst])
    try database.write { transaction throws in
      try transaction.put([
        Score(id: 1), Score(id: 2), Score(id: 3, name: "-b"), Score(id: 4, name: "-a"), Score(id: 5, name: ""),
        Score(id: 6, name: "c"),
      ])
    }
  }

  private static let order = [1, 2, 4, 3, 5, 6]

  @Test(arguments: [Int.max, .max - 1, .min, -1, 0, 1])
  func `a window of any size moves to both ends`(size: Int) throws {
    let window = database.window(over: Score.ordered { $0.name }, size: size)
    let pages = window.recorded()
    func shown() -> [Int] { pages.elements.last?.rows.map(\.id) ?? [] }
    let count = min(max(1, size), 6)
    #expect(shown() == Array(Self.order.prefix(count)))
    for _ in 0..<3 { window.moveForward() }
    for _ in 0..<3 { window.moveBackward() }
    window.moveToEnd()
    window.moveForward()
    for _ in 0..<7 { window.moveBackward() }
    window.scroll(to: 6)
    window.moveToStart()
    #expect(try database.read { try $0.count(Score.self) } == 6)
  }

  @Test func `moves that add up beyond all limits stop at the ends`() throws {
    let state = WindowState()
    let query = Score.ordered { $0.name }
    func page() throws -> [Int] {
      try database.read { try state.page(of: query, size: WindowPosition.most, on: $0.connection) }.rows.map(\.id)
    }
    #expect(try page() == Self.order)
    for direction in [1, -1] {
      state.move { $0.jump(to: .integer(3)) }
      for _ in 0..<3 { state.move { $0.move(by: direction * Int.max) } }
      #expect(try page() == Self.order)
      state.move { $0.jump(to: direction > 0 ? .start : .end) }
      for _ in 0..<3 { state.move { $0.move(by: direction * Int.max) } }
      #expect(try page() == Self.order)
    }
  }

  @Test func `rows that a collation sorts before the empty text are shown`() throws {
    let state = WindowState()
    state.move { $0.jump(to: .integer(2)) }
    let page = try database.read {
      try state.page(of: Score.ordered { $0.name }, size: 4, on: $0.connection)
    }
    #expect(page.rows.map(\.id) == [2, 4, 3, 5])
  }

  @Test(arguments: [Int.max, .max - 1, .min, -1, 0, 1])
  func `a query takes any limit and offset`(number: Int) throws {
    let all = Self.order
    let rest = all.dropFirst(min(max(0, number), 6))
    try database.read { transaction throws in
      let ordered = Score.ordered { $0.name }
      #expect(try transaction.all(ordered.limit(number)).map(\.id) == Array(all.prefix(min(max(0, number), 6))))
      #expect(try transaction.all(ordered.offset(number)).map(\.id) == Array(rest))
      #expect(try transaction.all(ordered.offset(number).limit(.max)).map(\.id) == Array(rest))
      #expect(try transaction.all(ordered.limit(number).offset(.max)).isEmpty)
      #expect(try transaction.count(ordered.offset(number).limit(.max)) == rest.count)
      #expect(try transaction.all(ordered.limit(number).select { $0.id }).count == min(max(0, number), 6))
      _ = try transaction.first(ordered.limit(number))
    }
  }

  @Test(arguments: [Int.max, .min, -1, 0, 1])
  func `limits of a shared history of any size are kept`(number: Int) throws {
    var limits = ShareLimits(historyCount: number, peerLifetime: .seconds(Int64(number)))
    for _ in 0..<2 {
      #expect(limits.trimInterval >= 1 && limits.trimmedCount >= 0)
      let (_, isOverflow) = ShareLimits.now.subtractingReportingOverflow(limits.peerAge)
      #expect(!isOverflow)
      limits.historyCount = number
      limits.peerLifetime = .seconds(Int64(number))
    }
  }
}
