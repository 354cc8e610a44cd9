import Foundation
import Signals
import Synchronization
import Testing

@Suite("Inspecting subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionInspectionTests {
  private final class Counts: Sendable {
    let delivered = Atomic(0)
    let byInspector = Atomic(0)
    let isOver = Atomic(false)
  }

  @Test func `a task that inspects subscriptions never delivers values, and no value is lost`() async {
    let counts = Counts()
    let emitter = Emitter<Int, Never>()
    let property = MutableProperty(0)
    let note: @Sendable () -> Void = {
      counts.delivered.add(1, ordering: .relaxed)
      if withUnsafeCurrentTask(body: { $0 != nil }) { counts.byInspector.add(1, ordering: .relaxed) }
    }
    let subscriptions = [emitter.map { $0 + 1 }.sink { _ in note() }, property.dropFirst().sink { _ in note() }]
    let total = 100_000
    // Not a task, which might wait for the inspecting thread.
    Thread {
      for number in 1...total {
        emitter.send(number)
        property.value = number
      }
      counts.isOver.store(true, ordering: .releasing)
    }.start()
    var looks = 0
    while !counts.isOver.load(ordering: .acquiring) {
      #expect(await emitter.subscriptions().map(\.description) == ["map → sink"])
      #expect(await property.subscriptions().count == 1)
      looks += 1
      await Task.yield()
    }
    // Values left to another thread are delivered when that thread ends its turn.
    while counts.delivered.load(ordering: .relaxed) < 2 * total { await Task.yield() }
    #expect(counts.byInspector.load(ordering: .relaxed) == 0)
    #expect(looks > 0)
    withExtendedLifetime(subscriptions) {}
  }
}
