import Dispatch
import Signals
import Testing

@Suite("Registered sources")
struct SourceRegistryTests {
  private func source(_ name: String) -> RegisteredSource? { SourceRegistry.sources.first { $0.name == name } }

  @Test func `a registered source is listed with its kind, type, value and subscriptions, until it is gone`()
    async throws
  {
    var volume: MutableProperty<Int>? = MutableProperty(5).registered(as: "registry.volume") { "\($0) of 10" }
    let line = #line - 1
    let keys = Emitter<Character, Never>().registered(as: "registry.keys")
    let subscription = volume?.map { $0 + 1 }.sink { _ in }
    let listed = try #require(source("registry.volume"))
    #expect(listed.kind == .property)
    #expect(listed.valueType == "Int")
    #expect(listed.valueDescription == "5 of 10")
    #expect(listed.subscriberCount == 1)
    #expect(listed.place == "SignalsTests/SourceRegistryTests.swift:\(line)")
    #expect(await listed.subscriptions().map(\.description) == ["map → sink"])
    #expect(listed.changeCount == 0)
    volume?.value = 6
    #expect(listed.changeCount == 1)
    #expect(listed.valueDescription == "6 of 10")
    #expect(source("registry.keys")?.kind == .emitter)
    #expect(source("registry.keys")?.valueDescription == nil)
    #expect(source("registry.keys")?.changeCount == nil)
    subscription?.cancel()
    volume = nil
    // Another test that lists the sources in this moment keeps them for as long.
    while source("registry.volume") != nil { await Task.yield() }
    #expect(listed.valueDescription == nil)
    #expect(listed.subscriberCount == 0)
    #expect(listed.changeCount == nil)
    withExtendedLifetime(keys) {}
  }

  @Test func `an emitter counts its values while a count exists, which is no subscription of the app`() async throws {
    let keys = Emitter<Character, Never>().registered(as: "registry.counted")
    let listed = try #require(source("registry.counted"))
    keys.send("a")
    var counter = listed.counted()
    #expect(counter != nil && listed.counted() === counter)
    for key in "bcd" { keys.send(key) }
    #expect(listed.changeCount == 3)
    #expect(listed.subscriberCount == 0)
    #expect(await listed.subscriptions().isEmpty)
    #expect(await keys.subscriptions().isEmpty)
    let subscription = keys.sink { _ in }
    #expect(listed.subscriberCount == 1)
    #expect(await listed.subscriptions().map(\.description) == ["sink"])
    withExtendedLifetime(counter) {}
    counter = nil
    #expect(listed.changeCount == nil)
    #expect(listed.subscriberCount == 1)
    subscription.cancel()
    #expect(!keys.hasSubscribers)
    let property = MutableProperty(1).registered(as: "registry.uncounted")
    #expect(source("registry.uncounted")?.counted() == nil)
    withExtendedLifetime(property) {}
  }

  @Test func `a count leaves out the values that are replayed when it begins`() throws {
    let keys = Emitter<Character, Never>(replay: 2).registered(as: "registry.replaying")
    for key in "ab" { keys.send(key) }
    let listed = try #require(source("registry.replaying"))
    let counter = listed.counted()
    #expect(listed.changeCount == 0)
    keys.send("c")
    #expect(listed.changeCount == 1)
    withExtendedLifetime(counter) {}
  }

  @Test func `a source that is registered again has only its last name`() {
    let property = MutableProperty(1).registered(as: "registry.old")
    property.registered(as: "registry.new")
    #expect(source("registry.old") == nil)
    #expect(source("registry.new") != nil)
    withExtendedLifetime(property) {}
  }

  @Test func `a description that is dropped may look at the registry while it is released`() async {
    let property = MutableProperty(1)
    property.registered(as: "registry.described") { [observer = RegistryObserver()] in "\($0) \(observer)" }
    property.registered(as: "registry.plain")
    #expect(source("registry.plain")?.valueDescription == nil)
    var released: MutableProperty<Int>? = MutableProperty(1)
    released?.registered(as: "registry.released") { [observer = RegistryObserver()] in "\($0) \(observer)" }
    released = nil
    while source("registry.released") != nil { await Task.yield() }
    withExtendedLifetime((property, released)) {}
  }

  @Test func `a derived value lists its inputs`() {
    let first = MutableProperty("Ada").registered(as: "registry.first")
    let second = MutableProperty(1)
    let length = Property.derived(first) { $0.count }
    let all = Property.derived(first, second, length) { "\($0) \($1) \($2)" }.registered(as: "registry.all")
    let line = #line - 2
    #expect(first.inputs == [])
    #expect(
      all.inputs == [
        "registry.first", "Property<Int>",
        "the Property<Int> derived at SignalsTests/SourceRegistryTests.swift:\(line)",
      ])
    #expect(source("registry.all")?.inputs == all.inputs)
    #expect(source("registry.all")?.kind == .derived)
  }

  @Test func `a derived value is described, whether it is observed, an input of another one, or neither`() throws {
    let level = MutableProperty(1)
    let name = Property.derived(level) { "level \($0)" }.registered(as: "registry.derived") { $0 }
    let isHigh = Property.derived(level) { $0 > 1 }.registered(as: "registry.small") { "\($0)" }
    let text = try #require(source("registry.derived"))
    let flag = try #require(source("registry.small"))
    #expect(text.valueDescription == "level 1")
    #expect(flag.valueDescription == "false")
    let both = Property.derived(name, isHigh) { "\($0) \($1)" }
    let inner = both.sink { _ in }
    level.value = 2
    #expect(text.valueDescription == "level 2")
    #expect(flag.valueDescription == "true")
    let subscriptions = [name.sink { _ in }, isHigh.map { $0 }.sink { _ in }, inner]
    level.value = 0
    #expect(text.valueDescription == "level 0")
    #expect(flag.valueDescription == "false")
    for subscription in subscriptions { subscription.cancel() }
    level.value = 3
    #expect(text.valueDescription == "level 3")
    #expect(flag.valueDescription == "true")
  }

  @Test func `a trace names the place where the consumer subscribed`() async {
    let emitter = Emitter<Int, Never>()
    let subscriptions = [emitter.map { $0 }.sink { _ in }, emitter.sink(on: .global()) { _ in }]
    let line = #line - 1
    let place = "SignalsTests/SourceRegistryTests.swift:\(line)"
    #expect(await emitter.subscriptions().map(\.place) == [place, place])
    withExtendedLifetime(subscriptions) {}
  }
}

/// An object that reads the registry when it is released, as a screen that shows the registered sources may do.
private final class RegistryObserver: Sendable {
  deinit {
    _ = SourceRegistry.sources
  }
}
