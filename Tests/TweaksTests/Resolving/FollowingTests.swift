import Dispatch
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Following the tables of providers")
struct FollowingTests {
  private struct TableProvider: TweakProvider {
    let name = "TableProvider"
    let table: Property<TweakTable>
  }

  private static func tweaks(changing changed: [Int: Int] = [:]) -> [Tweak] {
    (0..<10_000).map { Tweak(feature: "f", variable: "v\($0)", value: .int(changed[$0] ?? $0)) }
  }

  @Test
  func `of 10,000 tweaks, only those that a step has touched are asked for`() throws {
    let table = MutableProperty(TweakTable(Self.tweaks()))
    let overrides = EphemeralTweakProvider()
    let below = CountingProvider { _ in nil }
    let manager = TweakManager(providers: [overrides, TableProvider(table: table), below])
    let changes = manager.changes.recorded()
    #expect(manager.snapshot().tweaks.count == 10_000)
    below.asked.value = 0
    try manager.set(-1, feature: "f", variable: "v7")
    #expect(below.asked.value == 1)
    table.modify { $0.replace(with: Self.tweaks(changing: [8: -2, 9: -3])) }
    #expect(below.asked.value == 3)
    table.modify { $0.replace(with: Self.tweaks(changing: [8: -2, 9: -3])) }
    #expect(below.asked.value == 3)
    #expect(changes.elements.map(\.id.variable) == ["v7", "v8", "v9"])
  }

  @Test(.patient)
  func `a change of one tweak in a file of 10,000 asks for this one alone`() async throws {
    let fixture = try Fixture()
    func text(_ changed: Int) -> String {
      let variables = (0..<10_000).map { #""v\#($0)": {"Value": \#($0 == 5_000 ? changed : $0)}"# }
      return #"{"f": {\#(variables.joined(separator: ",\n"))}}"#
    }
    let below = CountingProvider { _ in nil }
    let manager = TweakManager(providers: [try FileTweakProvider(url: fixture.write(text(0))), below])
    #expect(manager.snapshot().tweaks.count == 10_000)
    let value = manager.property(for: TweakKey("f", "v5000", default: -1))
    below.asked.value = 0
    try fixture.write(text(7))
    _ = try await value.firstValue("the change") { $0 == 7 }
    #expect(below.asked.value == 1)
  }

  @Test(.patient)
  func `a first read while a table of another origin replaces the one before is followed by it`() async throws {
    let wrong = MutableProperty(0)
    try await onThread {
      for round in 1...Scale.count(300, torture: 20_000) {
        let number = MutableProperty(0)
        let table = Property.derived(number) { TweakTable([Tweak(feature: "f", variable: "v", value: .int($0))]) }
        let manager = TweakManager(providers: [TableProvider(table: table)])
        withThreads(2) { thread in
          if thread == 0 {
            number.value = round
          } else {
            _ = manager.value(feature: "f", variable: "v", default: -1)
          }
        }
        if manager.value(feature: "f", variable: "v", default: -1) != round { wrong.modify { $0 += 1 } }
      }
    }
    #expect(wrong.value == 0)
  }

  /// A provider that sets a tweak of another one when it is asked for it.
  private final class FillingProvider: AskedTweakProvider {
    let name = "FillingProvider"
    let target = EphemeralTweakProvider(name: "Target")
    let value = MutableProperty(TweakValue.int(1))

    func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
      try target.set(value.value, feature: feature, variable: variable)
      return nil
    }
  }

  @Test
  func `a provider that changes another one while it is asked shows the new value`() throws {
    let filling = FillingProvider()
    let manager = TweakManager(providers: [filling, filling.target])
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 1)
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    filling.value.value = 2
    manager.resetCache()
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 2)
    #expect(values.elements.last == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a provider that resets the cache whenever it is asked is not asked without end`() {
    let manager = MutableProperty<TweakManager?>(nil)
    let resetting = CountingProvider { _ in
      manager.value?.resetCache()
      return 1
    }
    manager.value = TweakManager(providers: [resetting])
    #expect(manager.value?.value(feature: "f", variable: "v", default: 0) == 1)
    manager.value?.resetCache()
    #expect(resetting.asked.value < 10)
    manager.value = nil
  }

  @Test(.timeLimit(.minutes(1)))
  func `a table that goes back in its history is followed`() throws {
    let old = TweakTable([Tweak(feature: "f", variable: "v", value: 1)])
    var new = old
    new.replace(with: [Tweak(feature: "f", variable: "v", value: 2)])
    let table = MutableProperty(old)
    let manager = TweakManager(providers: [EphemeralTweakProvider(), TableProvider(table: table)])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    for next in [new, old, new, old] { table.value = next }
    #expect(values.elements == [1, 2, 1, 2, 1])
    try manager.set(3, feature: "f", variable: "v")
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 3)
  }

  @Test
  func `a write is effective when it returns, and stays so, although a slow thread still follows another table`() throws
  {
    let (isAsked, mayAnswer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isSlow = MutableProperty(false)
    let slow = CountingProvider { _ in
      let waits = isSlow.modify { isSlow in
        defer { isSlow = false }
        return isSlow
      }
      if waits {
        isAsked.signal()
        mayAnswer.wait()
      }
      return nil
    }
    let table = MutableProperty(TweakTable([Tweak(feature: "f", variable: "v", value: 0)]))
    let manager = TweakManager(providers: [EphemeralTweakProvider(), slow, TableProvider(table: table)])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    isSlow.value = true
    let end = DispatchSemaphore(value: 0)
    Thread {
      table.modify { $0.replace(with: [Tweak(feature: "f", variable: "v", value: 1)]) }
      end.signal()
    }.start()
    isAsked.wait()
    try manager.set(5, feature: "f", variable: "v")
    #expect(manager.value(feature: "f", variable: "v", default: -1) == 5)
    mayAnswer.signal()
    end.wait()
    #expect(manager.value(feature: "f", variable: "v", default: -1) == 5)
    #expect(values.elements == [0, 5])
  }
}
