import Signals
import TestSupport
import Testing

@Suite("Law 7: didSet, not willSet", .patient)
struct Law07DidSetTests {
  @Test func `inside a callback the property has the delivered value`() {
    let property = MutableProperty(0)
    let log = Log<Bool>()
    let subscription = property.sink { log.add(property.value == $0) }
    for number in 1...100 { property.value = number }
    #expect(log.entries == Array(repeating: true, count: 101))
    withExtendedLifetime(subscription) {}
  }

  @Test func `inside a callback the property is never older than the delivered value`() {
    let property = MutableProperty(0)
    let older = Counter()
    let subscription = property.sink { if property.value < $0 { older.add() } }
    withThreads(3) { _ in for _ in 0..<5_000 { property.modify { $0 += 1 } } }
    #expect(older.value == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a write is visible to its writer at once, even while another thread delivers`() {
    let properties = (0..<2).map { _ in MutableProperty(0) }
    let subscriptions = properties.map { $0.sink { _ in } }
    let stale = Counter()
    withThreads(2) { index in
      for number in 1...5_000 {
        properties[index].value = number
        if properties[index].value != number { stale.add() }
        _ = properties[1 - index].value
      }
    }
    #expect(stale.value == 0)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a property made from a signal has the value when its subscribers are called`() {
    let emitter = Emitter<Int, Never>()
    let property = emitter.property(initial: 0)
    let log = Log<Bool>()
    let subscription = property.changes.sink { log.add(property.value == $0) }
    for number in 1...10 { emitter.send(number) }
    #expect(log.entries == Array(repeating: true, count: 10))
    withExtendedLifetime(subscription) {}
  }

  @Test func `each of several writers reads its own write or a later one, despite a slow subscriber`() {
    let property = MutableProperty(0)
    let subscription = property.sink { value in for _ in 0..<50 { _ = value &* 31 } }
    let stale = Counter()
    withThreads(4) { _ in
      for _ in 0..<2_000 {
        let mine = property.modify { value in
          value += 1
          return value
        }
        if property.value < mine { stale.add() }
      }
    }
    #expect(stale.value == 0)
    #expect(property.value == 8_000)
    withExtendedLifetime(subscription) {}
  }
}
