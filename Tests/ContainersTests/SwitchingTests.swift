import Containers
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Switching", .eachLayout, .patient)
struct SwitchingTests {
  private struct No: Error, CustomStringConvertible {
    var description: String { "not now" }
  }

  private final class Delegate: AppContainerDelegate {
    let name: String
    let log: Recorder<String>
    let refuses: Bool
    let didChange: @Sendable (AppContainer) -> Void

    init(
      _ name: String, _ log: Recorder<String>, refuses: Bool = false,
      didChange: @escaping @Sendable (AppContainer) -> Void = { _ in }
    ) {
      (self.name, self.log, self.refuses, self.didChange) = (name, log, refuses, didChange)
    }

    func appContainer(
      _ appContainer: AppContainer, willChangeTo environment: Environment, from current: Environment
    ) throws {
      log.record("\(name) will \(environment.name)")
      if refuses { throw No() }
    }

    func appContainer(_ appContainer: AppContainer, didChangeTo environment: Environment, from previous: Environment) {
      log.record("\(name) did \(environment.name) \(environment.activationCount)")
      didChange(appContainer)
    }
  }

  @Test func `delegates, flush hooks and events are called in a fixed order`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let log = Recorder<String>()
    let (first, second) = (Delegate("first", log), Delegate("second", log))
    app.add(first)
    app.add(second)
    app.add(first)
    let late = app.onFlush(order: 2) { log.record("flush late") }
    let early = app.onFlush(order: -1) { log.record("flush early") }
    let middle = app.onFlush { log.record("flush") }
    let events = app.events.sink { event in
      switch event {
      case .willChange: log.record("event will")
      case .didChange: log.record("event did")
      case .failed: log.record("event failed")
      }
    }
    let active = app.active.changes.sink { log.record("active \($0.name)") }
    try app.activate(work)
    #expect(
      log.elements == [
        "event will", "first will Work", "second will Work", "flush early", "flush", "flush late", "active Work",
        "event did", "first did Work 1", "second did Work 1",
      ])
    withExtendedLifetime((first, second, late, early, middle, events, active)) {}
  }

  @Test func `a delegate may reject a switch, and then nothing has moved`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let before = try fixture.live()
    let log = Recorder<String>()
    let delegates = [Delegate("first", log), Delegate("second", log, refuses: true), Delegate("third", log)]
    for delegate in delegates { app.add(delegate) }
    let events = app.events.recorded()
    #expect(throws: AppContainerError.vetoed(reason: "not now")) { try app.activate(work) }
    #expect(log.elements == ["first will Work", "second will Work"])
    #expect(try fixture.live() == before)
    #expect(app.active.value.isDefault)
    #expect(
      events.elements == [
        .willChange(from: app.active.value, to: work),
        .failed(from: app.active.value, to: work, error: .vetoed(reason: "not now")),
      ])
    app.remove(delegates[1])
    try app.activate(work)
    #expect(events.elements.count == 4)
  }

  @Test func `a delegate is held weakly`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let log = Recorder<String>()
    do {
      let delegate = Delegate("gone", log)
      app.add(delegate)
    }
    try app.activate(app.create(name: "Work"))
    #expect(log.elements.isEmpty)
  }

  @Test func `a failed flush prevents the switch`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let hook = app.onFlush { throw No() }
    let work = try app.create(name: "Work")
    #expect(throws: AppContainerError.flushFailed("The app's state", reason: "not now")) {
      try app.activate(work)
    }
    #expect(try fixture.live() == before)
    hook.cancel()
    try app.activate(work)
  }

  @Test func `a clone of the active environment has the state that flush hooks write`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let url = fixture.url("state.txt")
    let hook = app.onFlush { try Tree.write("held in memory", to: url) }
    let copy = try app.clone(app.active.value)
    hook.cancel()
    #expect(Tree.text(fixture.data(copy).appending(path: "state.txt")) == "held in memory")
    #expect(copy.id != Environment.defaultID && copy.activationCount == 0 && copy.lastActivatedAt == nil)
  }

  @Test func `a change inside a change is rejected, and one inside a did event is not`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let (work, play) = try (app.create(name: "Work"), app.create(name: "Play"))
    let log = Recorder<String>()
    let hook = app.onFlush {
      do {
        try app.create(name: "Nested")
      } catch {
        log.record("\(error)")
      }
    }
    let isSent = Atomic<Bool>(false)
    let first = Delegate("first", log) { app in
      guard !isSent.exchange(true, ordering: .relaxed) else { return }
      do {
        try app.activate(play)
      } catch {
        log.record("\(error)")
      }
    }
    let second = Delegate("second", log)
    app.add(first)
    app.add(second)
    try app.activate(work)
    let nested = AppContainerError.nested(operation: "create").description
    #expect(
      log.elements == [
        "first will Work", "second will Work", nested, "first did Work 1", "second did Work 1",
        "first will Play", "second will Play", nested, "first did Play 1", "second did Play 1",
      ])
    #expect(app.active.value.id == play.id)
    withExtendedLifetime((first, second, hook)) {}
  }

  @Test func `threads that switch concurrently take turns, and each will event has its did event`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let others = try (0..<3).map { try app.create(name: "\($0)") }
    let events = app.events.recorded()
    withThreads(4) { index in
      for round in 0..<5 {
        let target = others[(index + round) % 3]
        #expect(throws: Never.self) { try app.activate(target) }
      }
    }
    var current: Environment?
    for event in events.elements {
      switch event {
      case .willChange(let from, let to):
        #expect(current == nil || current?.id == from.id)
        current = to
      case .didChange(_, let to): #expect(current?.id == to.id)
      case .failed: Issue.record("no failure was expected")
      }
    }
    #expect(events.elements.count.isMultiple(of: 2))
    try app.activate(id: Environment.defaultID)
    #expect(fixture.text("top.txt") == "top 1")
  }

  @Test func `a task can switch without blocking others`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try await app.activate(work)
    #expect(app.active.value.id == work.id)
  }
}
