import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Providers that cannot announce their changes")
struct UnannouncedTests {
  /// A provider without updates, as those of JustTweak that post no notification.
  private final class Service: AskedTweakProvider {
    let name = "Service"
    let values = MutableProperty<[String: TweakValue]>([:])
    let asked = MutableProperty(0)

    func tweak(feature: String, variable: String) -> Tweak? {
      asked.modify { $0 += 1 }
      return values.value[variable].map { Tweak(feature: feature, variable: variable, value: $0) }
    }
  }

  private struct Layout: TweakStructure, Equatable {
    var columns = 0
  }

  private let service = Service()
  private let number = TweakKey("f", "number", default: 0)

  private func set(_ number: TweakValue, _ text: TweakValue, columns: Int) {
    service.values.value = ["number": number, "text": text, "layout": Layout(columns: columns).tweakValue]
  }

  @Test
  func `without a cache, a typed read asks a provider that cannot announce its changes`() throws {
    let manager = TweakManager(providers: [service])
    let variable = TweakProperty(number, tweakManager: manager)
    let optional = OptionalTweakProperty<Int>(feature: "f", variable: "number", tweakManager: manager)
    #expect(manager[number] == 0)
    #expect(optional.wrappedValue == nil)
    for round in 1...3 {
      set(.int(round), .string("round \(round)"), columns: round)
      #expect(manager[number] == round)
      #expect(variable.wrappedValue == round)
      #expect(optional.wrappedValue == round)
      #expect(try manager.value(feature: "f", variable: "number", as: Int.self) == round)
      #expect(manager.value(feature: "f", variable: "text", default: "") == "round \(round)")
      #expect(manager[TweakKey("f", "layout", default: Layout())] == Layout(columns: round))
      #expect(manager.details(for: number).value == round)
    }
    service.values.value = [:]
    #expect(manager[number] == 0)
    #expect(throws: TweakError.notFound(number.id)) {
      try manager.value(feature: "f", variable: "number", as: Int.self)
    }
  }

  @Test
  func `with a cache, a typed read keeps the value of such a provider until a reset`() throws {
    let manager = TweakManager(providers: [service])
    set(1, "one", columns: 1)
    #expect(manager[number] == 1)
    manager.usesCache = true
    set(2, "two", columns: 2)
    let asked = service.asked.value
    for _ in 1...3 { #expect(manager[number] == 1) }
    #expect(service.asked.value == asked)
    manager.resetCache()
    #expect(manager[number] == 2)
    manager.usesCache = false
    set(3, "three", columns: 3)
    #expect(manager[number] == 3)
  }

  @Test
  func `signals, properties and snapshots show an unannounced change after a reset`() throws {
    let manager = TweakManager(providers: [service])
    set(1, "one", columns: 1)
    let values = manager.signal(for: number).recorded()
    let property = manager.property(for: number)
    set(2, "two", columns: 2)
    #expect(manager[number] == 2)
    #expect(property.value == 1)
    #expect(manager.snapshot()[number] == 1)
    manager.resetCache()
    #expect(property.value == 2)
    #expect(manager.snapshot()[number] == 2)
    #expect(values.elements == [1, 2])
  }

  @Test
  func `values that do not depend on such a provider are not asked for again`() throws {
    let overrides = EphemeralTweakProvider()
    let manager = TweakManager(providers: [overrides, service])
    set(1, "one", columns: 1)
    try manager.set(5, for: number)
    #expect(manager[number] == 5)
    let asked = service.asked.value
    for _ in 1...3 { #expect(manager[number] == 5) }
    #expect(service.asked.value == asked)
    try manager.reset(number)
    set(2, "two", columns: 2)
    #expect(manager[number] == 2)
  }

  @Test
  func `a provider whose updates never send is asked once`() {
    struct Constant: AskedTweakProvider {
      let name = "Constant"
      let asked = MutableProperty(0)
      var updates: AnySignal<TweakUpdate, Never>? { .never() }

      func tweak(feature: String, variable: String) -> Tweak? {
        asked.modify { $0 += 1 }
        return Tweak(feature: feature, variable: variable, value: 7)
      }
    }
    let constant = Constant()
    let manager = TweakManager(providers: [constant])
    for _ in 1...3 { #expect(manager[number] == 7) }
    #expect(constant.asked.value == 1)
  }

  @Test
  func `a manager passes the changes of such a provider on to a manager that uses it`() {
    let inner = TweakManager(providers: [service], name: "Inner")
    let outer = TweakManager(providers: [EphemeralTweakProvider(), inner])
    for round in 1...3 {
      set(.int(round), "text", columns: round)
      #expect(outer[number] == round)
    }
    inner.usesCache = true
    set(9, "nine", columns: 9)
    #expect(outer[number] == 3)
    inner.usesCache = false
    set(10, "ten", columns: 10)
    #expect(outer[number] == 10)
  }

  @Test
  func `such a provider may read the tweak that it is asked for`() {
    final class Reader: AskedTweakProvider {
      let name = "Reader"
      let manager = MutableProperty<TweakManager?>(nil)
      let seen = Recorder<Int>()

      func tweak(feature: String, variable: String) -> Tweak? {
        if let manager = manager.value { seen.record(manager[TweakKey("f", "number", default: 0)]) }
        return Tweak(feature: feature, variable: variable, value: 3)
      }
    }
    let reader = Reader()
    let manager = TweakManager(providers: [reader])
    #expect(manager[number] == 3)
    reader.manager.value = manager
    #expect(manager[number] == 3)
    #expect(reader.seen.elements == [3])
    reader.manager.value = nil
  }

  @Test(.patient)
  func `each unannounced value is exposed once`() async throws {
    let manager = TweakManager(providers: [service])
    manager.recordExposures(TweakExposurePolicy())
    let exposures = manager.exposures.recorded()
    for round in 1...2 {
      set(.int(round), "text", columns: round)
      for _ in 1...2 { #expect(manager[number] == round) }
    }
    let all = try await exposures.wait(for: "two exposures") { $0.count >= 2 }
    #expect(all.map(\.sequence) == [1, 2])
  }
}
