import Signals
import TestSupport
import Testing

@Suite("Law 2: One order", .patient)
struct Law02OneOrderTests {
  private struct Tagged: Sendable, Equatable {
    let sender: Int
    let number: Int
  }

  @Test func `values arrive in the order in which they were sent`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = emitter.sink { log.add($0) }
    for number in 0..<1_000 { emitter.send(number) }
    #expect(log.entries == Array(0..<1_000))
    withExtendedLifetime(subscription) {}
  }

  @Test func `all subscribers see the same order, and each sender's values keep theirs`() {
    let emitter = Emitter<Tagged, Never>()
    let logs = (0..<3).map { _ in Log<Tagged>() }
    let subscriptions = logs.map { log in emitter.sink { log.add($0) } }
    withThreads(4) { sender in
      for number in 0..<10_000 { emitter.send(Tagged(sender: sender, number: number)) }
    }
    let order = logs[0].entries
    #expect(order.count == 40_000)
    #expect(logs.allSatisfy { $0.entries == order })
    for sender in 0..<4 {
      #expect(order.filter { $0.sender == sender }.map(\.number) == Array(0..<10_000))
    }
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `subscribers are called in the order in which they subscribed, even after many have left`() {
    let emitter = Emitter<Void, Never>()
    let log = Log<Int>()
    var subscriptions = (0..<200).map { index in emitter.sink { log.add(index) } }
    for index in stride(from: 0, to: 200, by: 3) { subscriptions[index].cancel() }
    subscriptions.append(emitter.sink { log.add(200) })
    for index in 100..<170 { subscriptions[index].cancel() }
    subscriptions.append(emitter.sink { log.add(201) })
    emitter.send()
    let expected = (0..<200).filter { $0 % 3 != 0 && !(100..<170).contains($0) } + [200, 201]
    #expect(log.entries == expected)
  }

  @Test func `a property sends values in the order in which it stores them`() {
    let property = MutableProperty(0)
    let logs = [Log<Int>(), Log<Int>()]
    let subscriptions = logs.map { log in property.changes.sink { log.add($0) } }
    withThreads(4) { _ in for _ in 0..<5_000 { property.modify { $0 += 1 } } }
    #expect(logs.allSatisfy { $0.entries == Array(1...20_000) })
    withExtendedLifetime(subscriptions) {}
  }
}
