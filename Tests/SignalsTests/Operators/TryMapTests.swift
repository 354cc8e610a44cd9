import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Operators whose closures throw")
struct TryMapTests {
  private let marbles = Marbles()

  /// A closure that throws at "x".
  private static let checked: @Sendable (String) throws(MarbleFailure) -> String = { text throws(MarbleFailure) in
    if text == "x" { throw MarbleFailure() }
    return text.uppercased()
  }

  @Test func `tryMap transforms values until the closure throws`() {
    #expect(marbles.diagram(of: marbles.cold("a-b-x-c|").tryMap(Self.checked)) == "A-B-#")
    #expect(marbles.diagram(of: marbles.cold("a-b|").tryMap(Self.checked)) == "A-B|")
    #expect(marbles.diagram(of: marbles.cold("a-#").tryMap(Self.checked)) == "A-#")
  }

  @Test func `tryFilter keeps values until the condition throws`() {
    let kept = marbles.cold("ab-ax-a|").tryFilter { text throws(MarbleFailure) in
      if text == "x" { throw MarbleFailure() }
      return text == "a"
    }
    #expect(marbles.diagram(of: kept) == "a--a#")
  }

  @Test func `tryCompactMap drops nil until the closure throws`() {
    let numbers = marbles.cold("1a2-x-3|").tryCompactMap { text throws(MarbleFailure) in
      if text == "x" { throw MarbleFailure() }
      return Int(text)
    }
    #expect(marbles.diagram(of: numbers) == "1-2-#")
  }

  @Test func `tryScan sends results until the closure throws`() {
    let joined = marbles.cold("a-b-x-c|").tryScan("") { (text, next) throws(MarbleFailure) in
      if next == "x" { throw MarbleFailure() }
      return text + next
    }
    #expect(marbles.diagram(of: joined) == "a-'ab'-#")
    #expect(marbles.diagram(of: joined) == "a-'ab'-#")
  }

  @Test func `an optional result is sent as it is by tryMap`() {
    let watch = Watch([1, 2].signal.tryMap { $0 > 1 ? nil : $0 })
    #expect(watch.entries == ["Optional(1)", "nil", "|"])
  }

  @Test func `a signal that cannot fail takes the error of the closure`() {
    let typed = [1, 2].signal.tryMap { number throws(Mishap) in
      if number > 1 { throw .flood }
      return number
    }
    let untyped = [1, 2].signal.tryFilter { if $0 > 1 { throw Mishap.flood } else { true } }
    #expect(Watch(typed).entries == ["1", "#flood"])
    #expect(Watch(untyped).entries == ["1", "#flood"])
    #expect(Watch([1].signal.tryMap { $0 + 1 }.map { $0 * 2 }).entries == ["4", "|"])
  }

  @Test func `a throw cancels the upstream, and nothing follows`() {
    let source = Emitter<Int, Mishap>()
    let calls = Counter()
    let watch = Watch(
      source.tryMap { number throws(Mishap) in
        calls.add()
        source.send(number + 1)
        if number == 2 { throw .fire }
        return number
      }
    )
    source.send(1)
    #expect(source.subscriberCount == 0)
    source.send(5)
    #expect(watch.entries == ["1", "#fire"])
    #expect(calls.value == 2)
  }

  @Test func `an endless source stops at the first error`() {
    let failing = (1...).signal.tryMap { number throws(Mishap) in
      if number > 2 { throw .fire }
      return number
    }
    #expect(Watch(failing).entries == ["1", "2", "#fire"])
  }

  @Test func `a closure that cancels and throws sends no failure`() {
    let source = Emitter<Int, Mishap>()
    let released = Counter()
    let watched = Box<Watch>()
    do {
      let probe = Probe { released.add() }
      watched.value = Watch(
        source.tryMap { _ throws(Mishap) -> Int in
          probe.touch()
          watched.value?.cancel()
          throw .fire
        }
      )
    }
    source.send(1)
    #expect(watched.value?.entries == [])
    #expect(released.value == 1)
    watched.value = nil
  }
}
