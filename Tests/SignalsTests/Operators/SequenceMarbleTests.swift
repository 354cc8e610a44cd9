import Signals
import SignalsTesting
import TestSupport
import Testing

/// Marble diagrams of the operators on the sequence of values.
@Suite("Operators on the sequence of values, in marbles")
struct SequenceMarbleTests {
  private let marbles = Marbles()

  /// Compares marble diagrams for each kind of ending: the input, the operator and the output.
  private func expect<Output>(
    _ input: String,
    _ shape: (MarbleSignal<MarbleFailure>) -> some Signal<Output, MarbleFailure>,
    _ output: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let marbles = Marbles()
    #expect(marbles.diagram(of: shape(marbles.signal(input))) == output, sourceLocation: sourceLocation)
  }

  @Test func `prefix ends with its last value`() {
    expect("a-b-c-d|", { $0.prefix(2) }, "a-[b|]")
    expect("a-|", { $0.prefix(2) }, "a-|")
    expect("a-#", { $0.prefix(2) }, "a-#")
    expect("a-b", { $0.prefix(0) }, "|")
    expect("-[abc]-d", { $0.prefix(2) }, "-[ab|]")
    expect("-a-b", { $0.first() }, "-[a|]")
  }

  @Test func `prefix while ends at the first value that does not match`() {
    expect("1-2-3-1|", { $0.prefix { $0 < "3" } }, "1-2-|")
    expect("1-2-#", { $0.prefix { $0 < "3" } }, "1-2-#")
    expect("3-1", { $0.prefix { $0 < "3" } }, "|")
  }

  @Test func `prefix until another sends ends at that moment`() {
    let values = marbles.signal("a-b-c-d-e|")
    let stop = marbles.signal("-----x-y|")
    #expect(marbles.diagram(of: values.prefix(untilOutputFrom: stop)) == "a-b-c|")
  }

  @Test func `drop until another sends begins after the other signal's value`() {
    let values = marbles.signal("a-b-c-d-e|")
    let start = marbles.signal("---x-y|")
    #expect(marbles.diagram(of: values.drop(untilOutputFrom: start)) == "----c-d-e|")
  }

  @Test func `drop until another sends ends with the other signal if that sends nothing`() {
    let values = marbles.signal("a-b-c-d-e|")
    #expect(marbles.diagram(of: values.drop(untilOutputFrom: marbles.cold("---|"))) == "---|")
    #expect(marbles.diagram(of: marbles.cold("a-b").drop(untilOutputFrom: marbles.cold("---#"))) == "---#")
  }

  @Test func `dropping values keeps the times of the rest`() {
    expect("a-b-c-d|", { $0.dropFirst(2) }, "----c-d|")
    expect("a-|", { $0.dropFirst(2) }, "--|")
    expect("1-2-1-#", { $0.drop { $0 < "2" } }, "--2-1-#")
  }

  @Test func `operators that need all values send their result at the end`() {
    expect("a-b-|", { $0.last() }, "----[b|]")
    expect("a-b-#", { $0.last() }, "----#")
    expect("-|", { $0.last() }, "-|")
    expect("a-b-|", { $0.reduce("", +) }, "----['ab'|]")
    expect("--|", { $0.count() }, "--[0|]")
    expect("a-b-|", { $0.map(\.count).collect() }, "----['[1, 1]'|]")
  }

  @Test func `operators that know their result early send it at once`() {
    expect("1-2-3-|", { $0.first { $0 > "1" } }, "--[2|]")
    expect("1-2-3-|", { $0.contains("2") }, "--['true'|]")
    expect("1-3-|", { $0.contains("2") }, "----['false'|]")
    expect("1-2-3-|", { $0.allSatisfy { $0 < "2" } }, "--['false'|]")
    expect("a-b-c-|", { $0.output(at: 1) }, "--[b|]")
  }

  @Test func `groups are sent when they are full, and the rest at the end`() {
    expect("a-b-c-|", { $0.collect(2).map { $0.joined() } }, "--'ab'---[c|]")
    expect("a-b-c-#", { $0.collect(2).map { $0.joined() } }, "--'ab'---#")
  }

  @Test func `the next signal begins when the previous one has ended`() {
    let first = marbles.cold("a-b|")
    #expect(marbles.diagram(of: first.append(marbles.cold("c-d|"))) == "a-bc-d|")
    #expect(marbles.diagram(of: marbles.cold("a-b#").append(marbles.cold("c-d|"))) == "a-b#")
    #expect(marbles.diagram(of: marbles.cold("-a|").prepend("x", "y")) == "[xy]a|")
    #expect(marbles.diagram(of: concat(marbles.cold("a|"), .just("b"), marbles.cold("-c|"))) == "abc|")
  }

  @Test func `missing values are replaced at the end`() {
    expect("--|", { $0.replaceEmpty(with: "x") }, "--[x|]")
    expect("--#", { $0.replaceEmpty(with: "x") }, "--#")
    expect("-a-|", { $0.replaceEmpty(with: "x") }, "-a-|")
  }

  @Test func `an empty signal is replaced by another`() {
    let other = marbles.cold("xy|")
    #expect(marbles.diagram(of: marbles.cold("--|").switchIfEmpty(other)) == "--xy|")
    #expect(marbles.diagram(of: marbles.cold("-a-|").switchIfEmpty(other)) == "-a-|")
    #expect(marbles.diagram(of: marbles.cold("--#").switchIfEmpty(other)) == "--#")
    #expect(marbles.diagram(of: marbles.cold("--|").switchIfEmpty(marbles.cold("-#"))) == "---#")
    #expect(Watch(EmptySignal<Int, Never>().switchIfEmpty(AnySignal<Int, Mishap>.fail(.fire))).entries == ["#fire"])
  }

  @Test func `suffix sends the last values at the end`() {
    expect("a-b-c-|", { $0.suffix(2) }, "------[bc|]")
    expect("a-|", { $0.suffix(2) }, "--[a|]")
    expect("a-b-#", { $0.suffix(2) }, "----#")
    expect("a-b-|", { $0.suffix(0) }, "----|")
    expect("a-b-|", { $0.suffix(-1) }, "----|")
    expect("-[abc|]", { $0.suffix(.max).prefix(2) }, "-[ab|]")
  }

  @Test func `pairwise sends each value with the previous one`() {
    expect("a-b--c|", { $0.pairwise().map { $0 + $1 } }, "--'ab'--'bc'|")
    expect("a-|", { $0.pairwise().map { $0 + $1 } }, "--|")
    expect("a-b#", { $0.pairwise().map { $0 + $1 } }, "--'ab'#")
  }
}
