import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Moves of a window that are read together", .seeded, .patient)
struct WindowMoveTests {
  let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [RankedEntry.self]))
    try database.write { try $0.put((0..<30).map { RankedEntry(id: $0, rank: Double($0 / 4)) }) }
  }

  private func page(_ state: WindowState, _ query: Query<RankedEntry> = Query()) throws -> WindowPage<RankedEntry> {
    try database.read { try state.page(of: query, size: 5, on: $0.connection) }
  }

  /// Returns the keys of the rows after moves that are read together.
  private func shown(_ moves: (inout WindowPosition) -> Void) throws -> [Int] {
    let state = WindowState()
    state.move(moves)
    return try page(state).rows.map(\.id)
  }

  @Test func `a move after a jump to a row begins at the row`() throws {
    let back = try shown { position in
      position.jump(to: .integer(20))
      position.move(by: -5)
    }
    #expect(back == Array(15..<20))
    let forward = try shown { position in
      position.move(by: 5)
      position.jump(to: .integer(20))
      position.move(by: 5)
    }
    #expect(forward == Array(25..<30))
  }

  @Test func `a move back after a jump to the last row begins at the last page`() throws {
    let back = try shown { position in
      position.jump(to: .integer(29))
      position.move(by: -5)
    }
    #expect(back == Array(20..<25))
  }

  @Test func `a jump to a row that is missing keeps the moves before it, and those after it`() throws {
    let moved = try shown { position in
      position.move(by: 5)
      position.jump(to: .integer(99))
    }
    #expect(moved == Array(5..<10))
    let further = try shown { position in
      position.move(by: 5)
      position.jump(to: .integer(99))
      position.move(by: 5)
    }
    #expect(further == Array(10..<15))
    let jumped = try shown { position in
      position.jump(to: .integer(12))
      position.move(by: -2)
      position.jump(to: .integer(99))
      position.move(by: 5)
    }
    #expect(jumped == Array(15..<20))
  }

  @Test func `a window that is moved before it is observed shows the place of its last move`() throws {
    let window = database.window(over: Query<RankedEntry>(), size: 3)
    window.moveForward()
    window.scroll(to: 20)
    window.moveBackward()
    window.scroll(to: 99)
    let pages = window.recorded()
    #expect(pages.elements.map { $0.rows.map(\.id) } == [[17, 18, 19]])
  }

  private static let queries: [Query<RankedEntry>] = [Query(), RankedEntry.ordered(.descending) { $0.rank }]

  @Test(arguments: queries)
  func `moves that are read together lead to the same page as moves that are read one by one`(
    query: Query<RankedEntry>
  ) throws {
    var chance = Chance()
    let (together, single) = (WindowState(), WindowState())
    for _ in 0..<Scale.count(100, torture: 5_000) {
      // A window adds up moves until it is read. Those in one direction lead where they lead one by one.
      var moves: [(inout WindowPosition) -> Void] = []
      for _ in 0...chance.number(below: 4) {
        let key = Int64(chance.number(below: 40))
        let place: WindowPosition.Place? = chance.once(in: 6) ? .start : chance.once(in: 6) ? .end : nil
        let step = chance.once(in: 2) ? 5 : -5
        moves.append { position in
          if let place { position.jump(to: place) } else { position.jump(to: .integer(key)) }
        }
        for _ in 0..<chance.number(below: 4) { moves.append { $0.move(by: step) } }
      }
      var expected = WindowPage<RankedEntry>()
      for move in moves {
        together.move(move)
        single.move(move)
        expected = try page(single, query)
      }
      #expect(try page(together, query) == expected)
    }
  }

  @Test func `a window that is not read keeps a limited number of jumps`() {
    var position = WindowPosition()
    for id in 0..<1_000 {
      position.jump(to: .integer(Int64(id)))
      position.move(by: 1)
    }
    #expect(position.targets.count < 100)
    #expect(position.targets.last == WindowPosition.Target(key: 999, offset: 1))
  }
}
