import Signals
import SignalsTesting
import Testing

@Suite("Marbles")
struct MarblesTests {
  private let marbles = Marbles()

  @Test(arguments: ["a", "ab--c|", "--[ab]-c#", "'word'-'x y'|", "[a'word'|]", "'-''|'''", "#", "|", ""])
  func `the diagram of a drawn signal is the original diagram`(diagram: String) {
    #expect(marbles.diagram(of: marbles.signal(diagram)) == diagram)
    #expect(marbles.diagram(of: marbles.cold(diagram)) == diagram)
  }

  @Test func `trailing time, spaces and anything after the end are omitted`() {
    #expect(marbles.diagram(of: marbles.signal("a-b---")) == "a-b")
    #expect(marbles.diagram(of: marbles.signal("a-b-- | cd")) == "a-b--|")
  }

  @Test func `a diagram with an unclosed word or group stops with an explanation`() async {
    await #expect(processExitsWith: .failure) { _ = Marbles().values("'ab-c|") }
    await #expect(processExitsWith: .failure) { _ = Marbles().values("[ab-c|") }
    await #expect(processExitsWith: .failure) { _ = Marbles().values("a]b") }
    await #expect(processExitsWith: .failure) { _ = Marbles().values("[a[b]]") }
  }

  @Test func `an endless signal stops with an explanation unless a last second is given`() async {
    let timer = TimerSignal(every: .seconds(1), clock: marbles.clock).map { _ in "t" }
    #expect(marbles.diagram(of: timer, until: 2) == "-tt")
    await #expect(processExitsWith: .failure) {
      let marbles = Marbles()
      _ = marbles.diagram(of: TimerSignal(every: .seconds(1), clock: marbles.clock))
    }
  }

  @Test func `a group lasts one second`() {
    let clock = marbles.clock
    let timed = marbles.values("[ab]c").map { "\($0)\(clock.now.offset.components.seconds)" }
    #expect(marbles.diagram(of: timed) == "['a0''b0']'c1'")
  }

  @Test func `a hot signal runs without subscribers, a cold one starts with each`() {
    let hot = marbles.values("abcdef")
    let cold = marbles.cold("xy|")
    marbles.clock.advance(by: .seconds(3))
    // Events of this very second have been sent.
    #expect(marbles.diagram(of: hot) == "-ef")
    #expect(marbles.diagram(of: cold) == "xy|")
    #expect(marbles.diagram(of: cold) == "xy|")
  }

  @Test func `cancelling removes a cold signal from the clock`() {
    let subscription = marbles.cold("ab|").sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect(marbles.clock.scheduledCount == 3)
    subscription.cancel()
    #expect(marbles.clock.scheduledCount == 0)
  }

  @Test func `a diagram can end at a given second`() {
    #expect(marbles.diagram(of: marbles.signal("abcdef|"), until: 2) == "abc")
    #expect(marbles.clock.now.offset == .seconds(2))
  }

  @Test func `failures and completion are distinguished`() {
    let completions = Recorder<SignalCompletion<MarbleFailure>>()
    let tokens = ["a#", "a|"].map { diagram in
      marbles.cold(diagram).sink(receiveCompletion: { completions.record($0) }, receiveValue: { _ in })
    }
    marbles.clock.run()
    #expect(completions.elements == [.failure(MarbleFailure()), .finished])
    withExtendedLifetime(tokens) {}
  }

  @Test func `merged signals keep the order in which they were drawn`() {
    let first = marbles.signal("a-b--|")
    let second = marbles.signal("x--y#")
    #expect(marbles.diagram(of: merge(first, second)) == "[ax]-by#")
  }
}
