import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("chunked(by:)", .patient)
struct ChunkedTests {
  private let marbles = Marbles()

  // MARK: By a signal

  @Test func `each value of the other signal ends an array, and the end sends the rest`() {
    let source = marbles.signal("ab-c----de|")
    let boundaries = marbles.values("--x--xx----")
    let chunks = source.chunked(by: boundaries).map { $0.joined() }
    #expect(marbles.diagram(of: chunks) == "--'ab'--c----['de'|]")
  }

  @Test func `a failure passes at once and drops the incomplete array`() {
    let chunks = marbles.signal("ab-c#").chunked(by: marbles.values("--x")).map { $0.joined() }
    #expect(marbles.diagram(of: chunks) == "--'ab'-#")
  }

  @Test func `the completion of the other signal has no effect`() {
    let chunks = marbles.signal("a-b-c|").chunked(by: marbles.values("-x|")).map { $0.joined() }
    #expect(marbles.diagram(of: chunks) == "-a---['bc'|]")
  }

  @Test func `a boundary derived from the signal itself ends the array with its value`() {
    let words = Emitter<String, Never>()
    let watch = Watch(words.chunked(by: words.filter { $0 == "." }).map { $0.joined() })
    for word in ["a", "b", ".", "c", "."] { words.send(word) }
    #expect(watch.entries == ["ab.", "c."])
  }

  @Test func `cancelling during an array cancels both signals and releases the values`() {
    let source = Emitter<Probe, Never>()
    let boundaries = Emitter<Void, Never>()
    let released = Counter()
    let watched = Box<Watch>()
    watched.value = Watch(source.chunked(by: boundaries).map(\.count)) { _ in watched.value?.cancel() }
    source.send(Probe { released.add() })
    boundaries.send()
    source.send(Probe { released.add() })
    boundaries.send()
    #expect(watched.value?.entries == ["1"])
    #expect(released.value == 2)
    #expect(source.subscriberCount == 0)
    #expect(boundaries.subscriberCount == 0)
    watched.value = nil
  }

  @Test func `a cancelled subscription keeps no values`() {
    let source = Emitter<Probe, Never>()
    let boundaries = Emitter<Void, Never>()
    let released = Counter()
    let watch = Watch(source.chunked(by: boundaries))
    source.send(Probe { released.add() })
    #expect(released.value == 0)
    watch.cancel()
    #expect(released.value == 1)
  }

  @Test func `no value is lost or repeated, whatever threads send`() {
    for _ in 0..<100 {
      let source = Emitter<Int, Never>()
      let boundaries = Emitter<Void, Never>()
      let log = Log<[Int]>()
      let subscription = source.chunked(by: boundaries).sink { log.add($0) }
      withThreads(3) { thread in
        for step in 0..<50 {
          if thread == 0 { boundaries.send() } else { source.send(thread * 100 + step) }
        }
      }
      source.finish()
      let values = log.entries.flatMap(\.self)
      #expect(values.count == 100)
      for thread in 1...2 { #expect(values.filter { $0 / 100 == thread } == Array(thread * 100..<thread * 100 + 50)) }
      withExtendedLifetime(subscription) {}
    }
  }

  // MARK: By a predicate

  @Test func `an array ends before the first value that does not belong to it`() {
    let chunks = marbles.signal("aab-bca|").chunked(by: ==).map { $0.joined() }
    #expect(marbles.diagram(of: chunks) == "--'aa'--'bb'c[a|]")
  }

  @Test func `a failure drops the array that is not complete`() {
    let chunks = marbles.signal("aab-#").chunked(by: ==).map { $0.joined() }
    #expect(marbles.diagram(of: chunks) == "--'aa'-#")
  }

  @Test(arguments: randomInputs) func `arrays join to the input and are as long as possible`(input: [Int]) {
    let log = Log<[Int]>()
    let subscription = input.signal.chunked { $0 <= $1 }.sink { log.add($0) }
    let chunks = log.entries
    #expect(chunks.flatMap(\.self) == input)
    for chunk in chunks { #expect(chunk == chunk.sorted() && !chunk.isEmpty) }
    for (first, second) in zip(chunks, chunks.dropFirst()) { #expect(first[first.count - 1] > second[0]) }
    withExtendedLifetime(subscription) {}
  }

  @Test func `a closure that cancels prevents the array`() {
    let source = Emitter<Int, Never>()
    let watched = Box<Watch>()
    watched.value = Watch(
      source.chunked { _, _ in
        watched.value?.cancel()
        return false
      }
    )
    source.send(1)
    source.send(2)
    #expect(watched.value?.entries == [])
    watched.value = nil
  }
}
