import Signals
import TestSupport
import Testing

/// `first()` is an operator and, in an asynchronous context, a way to wait.
@Suite("first", .patient)
struct FirstTests {
  @Test func `it is an operator in a synchronous context`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let first = emitter.first()
    let subscription = first.trace(in: log)
    emitter.send(1)
    emitter.send(2)
    #expect(log.entries == ["1", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `it is also an operator in an asynchronous context`() async {
    let log = Log<String>()
    let subscription = (1...3).signal.first().map { $0 * 2 }.trace(in: log)
    #expect(log.entries == ["2", "|"])
    let stored: some Signal<Int, Never> = (1...3).signal.first()
    #expect(stored.traced == ["1", "|"])
    var looped: [Int] = []
    for await value in (1...3).signal.first().values { looped.append(value) }
    #expect(looped == [1])
    withExtendedLifetime(subscription) {}
  }

  @Test func `waiting returns the first value, or nil if the signal finishes`() async throws {
    #expect(await (1...3).signal.firstValue() == 1)
    let property = MutableProperty("now")
    let value = await property.firstValue()
    #expect(value == "now")
    if let next = await property.firstValue() { #expect(next == "now") } else { Issue.record("no value") }
    #expect(await (1...).signal.first { $0 > 4 }.firstValue() == 5)
    #expect(await EmptySignal<Int, Never>().firstValue() == nil)
    await #expect(throws: Mishap.fire) { try await FailSignal<Int, Mishap>(.fire).firstValue() }
  }

  @Test func `waiting releases the signal with its first value`() async {
    let log = Log<String>()
    let watched = (1...3).signal.append(NeverSignal()).handleEvents(receiveCancel: { log.add("cancelled") })
    #expect(await watched.firstValue() == 1)
    #expect(log.entries == ["cancelled"])
  }
}
