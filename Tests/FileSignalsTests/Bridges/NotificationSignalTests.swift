import FileSignals
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("NotificationCenter.signal")
struct NotificationSignalTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("changed")

  private final class Sender: Sendable {}

  @Test func `each notification of the name sends one value, on the posting thread`() {
    let recorder = center.signal(for: name) { $0.userInfo?["number"] as? Int }.compactMap { $0 }.recorded()
    for number in 1...3 { center.post(name: name, object: nil, userInfo: ["number": number]) }
    center.post(name: Notification.Name("other"), object: nil, userInfo: ["number": 4])
    center.post(name: name, object: nil)
    #expect(recorder.elements == [1, 2, 3])
  }

  @Test func `if an object is given, only its notifications are sent`() {
    let sender = Sender()
    let count = Atomic<Int>(0)
    let subscription = center.signal(for: name, object: sender).sink { count.add(1, ordering: .relaxed) }
    center.post(name: name, object: sender)
    center.post(name: name, object: Sender())
    center.post(name: name, object: nil)
    #expect(count.load(ordering: .relaxed) == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `cancelling and releasing remove the observer and its captures`() {
    weak var released: Sender?
    var kept: SignalSubscription?
    let count = Atomic<Int>(0)
    do {
      let captured = Sender()
      released = captured
      kept = center.signal(for: name).sink {
        withExtendedLifetime(captured) {}
        count.add(1, ordering: .relaxed)
      }
    }
    center.post(name: name, object: nil)
    #expect(released != nil)
    kept?.cancel()
    #expect(released == nil)
    center.post(name: name, object: nil)
    _ = center.signal(for: name).sink { count.add(1, ordering: .relaxed) }
    center.post(name: name, object: nil)
    #expect(count.load(ordering: .relaxed) == 1)
  }

  @Test func `a subscriber may cancel in its own callback, and post in it`() {
    let subscription = MutableProperty<SignalSubscription?>(nil)
    let count = Atomic<Int>(0)
    let token = center.signal(for: name).sink { [center, name] in
      if count.add(1, ordering: .relaxed).newValue == 1 {
        center.post(name: name, object: nil)
      } else {
        subscription.value?.cancel()
      }
    }
    subscription.value = token
    center.post(name: name, object: nil)
    center.post(name: name, object: nil)
    #expect(count.load(ordering: .relaxed) == 2)
  }

  @Test func `a loop receives notifications posted before its first read`() async {
    var numbers = center.signal(for: name) { $0.object as? Int }.values.makeAsyncIterator()
    for number in 1...3 { center.post(name: name, object: number) }
    for number in 1...3 { #expect(await numbers.next() == number) }
  }
}
