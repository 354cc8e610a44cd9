import Signals
import SignalsTesting
import Testing

/// Marble diagrams of the operators on single values and operators that combine latest values.
@Suite("Operators on values, in marbles")
struct ValueMarbleTests {
  private let marbles = Marbles()

  @Test func `map keeps the times`() {
    #expect(marbles.diagram(of: marbles.signal("a-b--c|").map { $0.uppercased() }) == "A-B--C|")
  }

  @Test func `map passes a failure`() {
    #expect(marbles.diagram(of: marbles.signal("a-#").map { $0.uppercased() }) == "A-#")
  }

  @Test func `consecutive maps keep the times and pass a failure`() {
    #expect(marbles.diagram(of: marbles.signal("a-b|").map { $0.uppercased() }.map { $0.lowercased() }) == "a-b|")
    #expect(marbles.diagram(of: marbles.signal("a-#").map { $0.uppercased() }.map { $0.lowercased() }) == "a-#")
  }

  @Test func `filter leaves gaps in time`() {
    #expect(marbles.diagram(of: marbles.signal("1-a2-b|").filter { $0 > "9" }) == "--a--b|")
  }

  @Test func `compactMap leaves gaps in time`() {
    #expect(marbles.diagram(of: marbles.signal("1-a2-b|").compactMap { Int($0) }) == "1--2--|")
  }

  @Test func `removeDuplicates sends the first of equal neighbours`() {
    #expect(marbles.diagram(of: marbles.signal("aab-bba|").removeDuplicates()) == "a-b---a|")
  }

  @Test func `scan sends for each value`() {
    #expect(marbles.diagram(of: marbles.signal("1-2-3|").compactMap { Int($0) }.scan(0, +)) == "1-3-6|")
  }

  @Test func `merge sends values as they arrive, and ends with the last signal`() {
    let letters = marbles.signal("a--b|")
    let digits = marbles.signal("-1----2|")
    #expect(marbles.diagram(of: merge(letters, digits)) == "a1-b--2|")
  }

  @Test func `merge fails with the first failure`() {
    let letters = marbles.signal("a---b|")
    let digits = marbles.signal("-1#")
    #expect(marbles.diagram(of: letters.merge(with: digits)) == "a1#")
  }

  @Test func `combineLatest begins when both signals have sent, and ends with the last`() {
    let letters = marbles.signal("a--b---|")
    let digits = marbles.signal("-1---2|")
    let pairs = letters.combineLatest(digits).map { $0 + $1 }
    #expect(marbles.diagram(of: pairs) == "-'a1'-'b1'-'b2'-|")
  }

  @Test func `combineLatest ends as soon as one signal ends without a value`() {
    let letters = marbles.signal("a--b---|")
    let digits = marbles.signal("--|")
    #expect(marbles.diagram(of: letters.combineLatest(digits).map { $0 + $1 }) == "--|")
  }

  @Test func `a property begins with its value`() {
    let property = marbles.values("--b-c").property(initial: "a")
    #expect(marbles.diagram(of: property) == "a-b-c")
  }

  @Test func `naming and type erasure change nothing`() {
    #expect(marbles.diagram(of: marbles.signal("a-b#").named("letters").eraseToAnySignal()) == "a-b#")
  }
}
