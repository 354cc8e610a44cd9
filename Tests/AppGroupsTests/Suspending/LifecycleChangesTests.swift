import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("Changes between foreground and background") struct LifecycleChangesTests {
  private let changes = LifecycleChanges()

  @Test func `a return wins over a suspension whose thread begins later`() async throws {
    let fixture = try Fixture()
    let container = fixture.container
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    try await onThread { [changes] in
      let (leaving, returning) = (changes.announce(), changes.announce())
      changes.perform(returning) { #expect(throws: Never.self) { try container.resume() } }
      changes.perform(leaving) { #expect(throws: Never.self) { try container.suspend() } }
    }
    #expect(!container.isSuspended)
    try await file.write(2)
  }

  @Test func `a change waits for the one under way`() async throws {
    let order = MutableProperty<[Int]>([])
    let (isLeaving, isAnnounced) = (Gate(), Gate())
    let leaving = changes.announce()
    async let left: Void = onThread { [changes] in
      changes.perform(leaving) {
        isLeaving.open()
        isAnnounced.block()
        order.modify { $0.append(leaving) }
      }
    }
    try await isLeaving.pass()
    let returning = changes.announce()
    async let returned: Void = onThread { [changes] in
      changes.perform(returning) { order.modify { $0.append(returning) } }
    }
    isAnnounced.open()
    _ = try await (left, returned)
    #expect(order.value == [leaving, returning])
  }

  @Test func `a change whose time ends meanwhile is not performed twice`() async throws {
    let count = MutableProperty(0)
    try await onThread { [changes] in
      let leaving = changes.announce()
      changes.perform(leaving) {
        count.modify { $0 += 1 }
        changes.perform(leaving) { count.modify { $0 += 1 } }
      }
      changes.perform(leaving) { count.modify { $0 += 1 } }
    }
    #expect(count.value == 1)
  }

  @Test func `a change that was announced later makes those that wait pointless`() async throws {
    let order = MutableProperty<[Int]>([])
    try await onThread { [changes] in
      let numbers = (0..<3).map { _ in changes.announce() }
      for number in numbers { changes.perform(number) { order.modify { $0.append(number) } } }
    }
    #expect(order.value == [3])
  }
}
