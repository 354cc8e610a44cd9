import Signals
import TestSupport
import Testing

@Suite("Law 9: Async is lossless unless you asked", .patient)
struct Law09AsyncIsLosslessTests {
  @Test func `a loop receives, in order, every value sent after it began, and then the end`() async {
    let emitter = Emitter<Int, Never>()
    var iterator = emitter.values.makeAsyncIterator()
    for number in 0..<100_000 { emitter.send(number) }
    emitter.finish()
    var expected = 0
    while let number = await iterator.next() {
      #expect(number == expected)
      expected += 1
    }
    #expect(expected == 100_000)
    #expect(await iterator.next() == nil)
  }

  @Test func `each loop is a separate subscription`() async {
    let emitter = Emitter<Int, Never>()
    var first = emitter.values.makeAsyncIterator()
    var second = emitter.values.makeAsyncIterator()
    for number in 1...3 { emitter.send(number) }
    emitter.finish()
    for number in 1...3 {
      #expect(await first.next() == number)
      #expect(await second.next() == number)
    }
    #expect(await first.next() == nil)
    #expect(await second.next() == nil)
  }

  @Test func `every value from many threads reaches a waiting loop`() async {
    let emitter = Emitter<Int, Never>()
    let values = emitter.values
    var iterator = values.makeAsyncIterator()
    let senders = Task.detached {
      withThreads(3) { _ in for _ in 0..<10_000 { emitter.send(1) } }
      emitter.finish()
    }
    var count = 0
    while let number = await iterator.next() { count += number }
    #expect(count == 30_000)
    await senders.value
  }

  @Test func `newest keeps the last values, oldest the first, and both count the dropped ones`() async {
    let emitter = Emitter<Int, Never>()
    var newest = emitter.values(buffering: .newest(3)).makeAsyncIterator()
    var oldest = emitter.values(buffering: .oldest(3)).makeAsyncIterator()
    for number in 1...10 { emitter.send(number) }
    emitter.finish()
    for number in 8...10 { #expect(await newest.next() == number) }
    for number in 1...3 { #expect(await oldest.next() == number) }
    #expect(newest.droppedCount == 7)
    #expect(oldest.droppedCount == 7)
    #expect(await newest.next() == nil)
    #expect(await oldest.next() == nil)
  }

  @Test func `a bounded buffer also drops values after its loop has begun to read`() async {
    let emitter = Emitter<Int, Never>()
    var newest = emitter.values(buffering: .newest(3)).makeAsyncIterator()
    for number in 1...3 { emitter.send(number) }
    #expect(await newest.next() == 1)
    for number in 4...9 { emitter.send(number) }
    #expect(await newest.next() == 7)
  }

  @Test func `a loop over a property loses no value`() async {
    let property = MutableProperty(0)
    let derived = Property.derived(property) { -$0 }
    var ofProperty = property.values.makeAsyncIterator()
    var ofDerived = derived.values.makeAsyncIterator()
    var ofSignal = opaque(property).values.makeAsyncIterator()
    for number in 1...5 { property.value = number }
    for number in 0...5 {
      #expect(await ofProperty.next() == number)
      #expect(await ofDerived.next() == -number)
      #expect(await ofSignal.next() == number)
    }
    #expect(ofProperty.droppedCount == 0)
  }

  private func opaque<Element>(_ signal: some Signal<Element, Never>) -> some Signal<Element, Never> { signal }

  @Test func `a property's loop with a buffer of the newest value always receives the last of a burst`() async {
    let property = MutableProperty(0)
    let writer = Task.detached {
      for number in 1...50_000 { property.value = number }
    }
    var last = -1
    for await number in property.values(buffering: .newest(1)) {
      #expect(number > last)
      last = number
      if number == 50_000 { break }
    }
    await writer.value
    #expect(last == 50_000)
  }

  @Test func `a lock-step producer never hangs a property's loop`() async {
    let property = MutableProperty(0)
    let echo = MutableProperty(-1)
    let producer = Task.detached {
      for number in 1...5_000 {
        property.value = number
        for await answer in echo.values where answer == number { break }
      }
    }
    for await number in property.values {
      echo.value = number
      if number == 5_000 { break }
    }
    await producer.value
    #expect(echo.value == 5_000)
  }

  @Test func `cancelling the task ends the loop, releases its subscription and drops its waiting values`() async {
    let emitter = Emitter<Probe, Never>()
    let released = Counter()
    let isCancelled = Emitter<Void, Never>(replay: 1)
    let loop = Task.detached {
      var iterator = emitter.values.makeAsyncIterator()
      for _ in 0..<3 { emitter.send(Probe { released.add() }) }
      _ = await iterator.next()
      await withTaskCancellationHandler {
        // Waits in a separate task, which the cancellation does not reach, so that two values stay waiting.
        await Task.detached { _ = await isCancelled.firstValue() }.value
      } onCancel: {
        isCancelled.send()
      }
      #expect(await iterator.next() == nil)
      #expect(released.value == 3)
      emitter.send(Probe { released.add() })
      #expect(released.value == 4)
    }
    loop.cancel()
    await loop.value
  }

  @Test func `cancelling a waiting task ends its loop at once`() async {
    let emitter = Emitter<Int, Never>()
    let waiting = Emitter<Void, Never>(replay: 1)
    let task = Task.detached {
      var iterator = emitter.values.makeAsyncIterator()
      waiting.send()
      return await iterator.next()
    }
    _ = await waiting.firstValue()
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func `cancelling one loop does not affect the others`() async {
    let emitter = Emitter<Int, Never>()
    var other = emitter.values.makeAsyncIterator()
    let task = Task.detached { for await _ in emitter.values {} }
    task.cancel()
    await task.value
    emitter.send(1)
    #expect(await other.next() == 1)
  }

  @Test func `a failure is thrown once, after the values before it`() async throws {
    let emitter = Emitter<Int, Mishap>()
    var iterator = emitter.values.makeAsyncIterator()
    emitter.send(1)
    emitter.fail(.fire)
    #expect(try await iterator.next() == 1)
    await #expect(throws: Mishap.fire) { _ = try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test @MainActor func `a loop stays on its caller's actor`() async {
    let property = MutableProperty(1)
    for await number in property.values {
      MainActor.assertIsolated()
      if number == 3 { break }
      property.value = number + 1
    }
    #expect(property.value == 3)
  }

  @Test func `releasing the iterator ends the subscription`() {
    let emitter = Emitter<Probe, Never>()
    let released = Counter()
    var iterator: SignalValues<Emitter<Probe, Never>>.Iterator? = emitter.values.makeAsyncIterator()
    emitter.send(Probe { released.add() })
    #expect(released.value == 0)
    withExtendedLifetime(iterator) {}
    iterator = nil
    #expect(released.value == 1)
  }

  @Test func `first waits for one value`() async throws {
    #expect(await MutableProperty(4).firstValue() == 4)
    let emitter = Emitter<Int, Mishap>()
    emitter.fail(.flood)
    await #expect(throws: Mishap.flood) { try await emitter.firstValue() }
    let ended = Emitter<Int, Never>()
    ended.finish()
    #expect(await ended.firstValue() == nil)
  }
}
