import Dispatch
import Signals
import Synchronization
import TestSupport
import Testing

/// Long-running tests of law 9.
///
/// The short ones are in `Law09AsyncIsLosslessTests`.
@Suite("Loops over signals", .patient)
struct LoopTests {
  @Test func `a million waiting values arrive in order`() async {
    let emitter = Emitter<Int, Never>()
    var iterator = emitter.values.makeAsyncIterator()
    for number in 0..<1_000_000 { emitter.send(number) }
    emitter.finish()
    var expected = 0
    while let number = await iterator.next(), number == expected { expected += 1 }
    #expect(expected == 1_000_000)
    #expect(iterator.droppedCount == 0)
  }

  @Test func `two loops both receive values sent before their first read, and values sent by threads`() async throws {
    let emitter = Emitter<Int, Never>()
    let loops = (0..<2).map { _ in emitter.values(buffering: .unbounded).makeAsyncIterator().started }
    for number in 0..<1_000 { emitter.send(number) }
    let sums = loops.map { loop in Task.detached { await loop.sum() } }
    try await onThread {
      withThreads(2) { _ in for _ in 0..<10_000 { emitter.send(1) } }
      emitter.finish()
    }
    for sum in sums { #expect(await sum.value == 999 * 500 + 20_000) }
  }

  @Test func `the end wakes every waiting loop, follows all values, and stays the end`() async {
    let emitter = Emitter<Int, Never>()
    let loops = (0..<8).map { _ in emitter.values.makeAsyncIterator().started }
    let waiting = loops.map { loop in Task.detached { await loop.all() } }
    for number in 1...3 { emitter.send(number) }
    emitter.finish()
    for loop in waiting { #expect(await loop.value == [1, 2, 3]) }

    var late = emitter.values.makeAsyncIterator()
    for _ in 1...3 { #expect(await late.next() == nil) }
  }

  @Test func `fifty thousand rounds in lock-step never miss the last value`() async {
    let question = MutableProperty(0)
    let answer = MutableProperty(0)
    let responder = Task.detached {
      for await number in question.values {
        answer.value = number
        if number == 50_000 { break }
      }
    }
    var answers = answer.values.makeAsyncIterator()
    rounds: for number in 1...50_000 {
      question.value = number
      while let answered = await answers.next() {
        if answered == number { continue rounds }
      }
      Issue.record("The loop ended in round \(number)")
      break
    }
    await responder.value
  }

  @Test func `a bounded buffer keeps memory constant, however far a loop falls behind`() async {
    let alive = Counter()
    let most = Counter()
    let emitter = Emitter<Probe, Never>()
    var newest = emitter.values(buffering: .newest(8)).makeAsyncIterator()
    let oldest = emitter.values(buffering: .oldest(8)).makeAsyncIterator()
    for _ in 0..<100_000 {
      let count = alive.add()
      if count > most.value { most.add(count - most.value) }
      emitter.send(Probe { alive.add(-1) })
    }
    #expect(most.value <= 17)
    #expect(newest.droppedCount == 100_000 - 8)
    #expect(oldest.droppedCount == 100_000 - 8)
    _ = await newest.next()
    emitter.finish()
  }

  @Test func `cancelling one task releases its values and its subscription, and other loops continue`() async {
    let alive = Counter()
    let emitter = Emitter<Probe, Never>()
    let ready = Emitter<Void, Never>(replay: 1)
    var other = emitter.values(buffering: .newest(1)).makeAsyncIterator()
    let task = Task.detached {
      var iterator = emitter.values.makeAsyncIterator()
      ready.send()
      while await iterator.next() != nil {}
    }
    _ = await ready.firstValue()
    task.cancel()
    await task.value
    for _ in 0..<100 {
      alive.add()
      emitter.send(Probe { alive.add(-1) })
    }
    #expect(alive.value == 1)
    #expect(await other.next() != nil)
  }

  private actor Ledger {
    var entries: [Int] = []

    func copy(_ signal: some Signal<Int, Never>) async {
      for await entry in signal.values {
        assertIsolated()
        entries.append(entry)
      }
    }
  }

  @Test func `a loop inside an actor stays on it`() async {
    let emitter = Emitter<Int, Never>(replay: 100)
    let ledger = Ledger()
    for number in 0..<100 { emitter.send(number) }
    emitter.finish()
    await ledger.copy(emitter)
    #expect(await ledger.entries == Array(0..<100))
  }

  @Test @MainActor func `first and a loop on the main actor stay on it`() async {
    let property = MutableProperty(0)
    let writer = Task.detached { for number in 1...1_000 { property.value = number } }
    #expect(await property.firstValue() != nil)
    MainActor.assertIsolated()
    for await number in property.values(buffering: .unbounded) {
      MainActor.assertIsolated()
      if number == 1_000 { break }
    }
    await writer.value
  }

  @Test func `first returns the next value of an emitter, or nil if its task is cancelled`() async {
    let emitter = Emitter<Int, Never>()
    let subscribed = Emitter<Void, Never>(replay: 1)
    let signal = DeferredSignal {
      subscribed.send()
      return emitter
    }
    let waiting = Task.detached { await signal.firstValue() }
    _ = await subscribed.firstValue()
    waiting.cancel()
    #expect(await waiting.value == nil)

    let sender = Task.detached {
      // Sent repeatedly, because a test cannot observe when the other task begins to wait.
      while !Task.isCancelled {
        emitter.send(7)
        await Task.yield()
      }
    }
    #expect(await emitter.firstValue() == 7)
    sender.cancel()
  }
}

@Suite("Delivery on actors", .patient)
struct ActorDeliveryTests {
  @Test func `a burst of a thousand values takes one hop to an actor`() async {
    let emitter = Emitter<Int, Never>()
    let ledger = CountedLedger()
    let subscription = emitter.sink(on: ledger) { ledger, value in ledger.add(value) }
    ledger.executor.queue.suspend()
    for number in 0..<1_000 { emitter.send(number) }
    ledger.executor.queue.resume()
    _ = await ledger.isFull.firstValue()
    #expect(ledger.executor.hops.load(ordering: .relaxed) <= 2)
    #expect(await ledger.entries == Array(0..<1_000))
    withExtendedLifetime(subscription) {}
  }

  @Test @MainActor func `the main actor receives the values of other threads in their order`() async {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let isFull = Emitter<Void, Never>(replay: 1)
    let subscription = emitter.sink(on: MainActor.shared) { value in
      MainActor.assertIsolated()
      log.add(value)
      if value == 9_999 { isFull.send() }
    }
    await Task.detached { for number in 0..<10_000 { emitter.send(number) } }.value
    _ = await isFull.firstValue()
    #expect(log.entries == Array(0..<10_000))
    withExtendedLifetime(subscription) {}
  }
}

/// An actor that counts the hops to it.
private actor CountedLedger {
  final class Executor: SerialExecutor {
    let queue = DispatchQueue(label: "counted")
    let hops = Atomic<Int>(0)

    func enqueue(_ job: consuming ExecutorJob) {
      hops.add(1, ordering: .relaxed)
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  nonisolated let executor = Executor()
  nonisolated let isFull = Emitter<Void, Never>(replay: 1)
  var entries: [Int] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func add(_ entry: Int) {
    entries.append(entry)
    if entries.count == 1_000 { isFull.send() }
  }
}

/// A loop that was started on one task and continues on another.
private final class StartedLoop: @unchecked Sendable {  // Sound: only one task at a time uses it.
  private var iterator: SignalValues<Emitter<Int, Never>>.Iterator

  init(_ iterator: SignalValues<Emitter<Int, Never>>.Iterator) {
    self.iterator = iterator
  }

  func all() async -> [Int] {
    var all: [Int] = []
    while let value = await iterator.next() { all.append(value) }
    return all
  }

  func sum() async -> Int {
    await all().reduce(0, +)
  }
}

extension SignalValues<Emitter<Int, Never>>.Iterator {
  fileprivate var started: StartedLoop { StartedLoop(self) }
}
