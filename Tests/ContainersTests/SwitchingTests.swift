import Containers
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Switching")
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
      _ appContainer: AppContainer, willChangeTo container: Container, from current: Container
    ) throws {
      log.record("\(name) will \(container.name)")
      if refuses { throw No() }
    }

    func appContainer(_ appContainer: AppContainer, didChangeTo container: Container, from previous: Container) {
      log.record("\(name) did \(container.name) \(container.activatedCount)")
      didChange(appContainer)
    }
  }

  @Test func `who is asked, what is flushed and who is told come in one order`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.createNewContainer(name: "Work")
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
    try app.activate(container: work)
    #expect(
      log.elements == [
        "event will", "first will Work", "second will Work", "flush early", "flush", "flush late", "active Work",
        "event did", "first did Work 1", "second did Work 1",
      ])
    withExtendedLifetime((first, second, late, early, middle, events, active)) {}
  }

  @Test func `a delegate may refuse, and then nothing has moved`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.createNewContainer(name: "Work")
    let before = try fixture.live()
    let log = Recorder<String>()
    let delegates = [Delegate("first", log), Delegate("second", log, refuses: true), Delegate("third", log)]
    for delegate in delegates { app.add(delegate) }
    let events = app.events.recorded()
    #expect(throws: AppContainerError.vetoed(reason: "not now")) { try app.activate(container: work) }
    #expect(log.elements == ["first will Work", "second will Work"])
    #expect(try fixture.live() == before)
    #expect(app.activeContainer.isDefault)
    #expect(
      events.elements == [
        .willChange(from: app.activeContainer, to: work),
        .failed(from: app.activeContainer, to: work, error: .vetoed(reason: "not now")),
      ])
    app.remove(delegates[1])
    try app.activate(container: work)
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
    try app.activate(container: app.createNewContainer(name: "Work"))
    #expect(log.elements.isEmpty)
  }

  @Test func `a flush that fails keeps the switch from happening`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let hook = app.onFlush { throw No() }
    let work = try app.createNewContainer(name: "Work")
    #expect(throws: AppContainerError.flushFailed("What the app keeps", reason: "not now")) {
      try app.activate(container: work)
    }
    #expect(try fixture.live() == before)
    hook.cancel()
    try app.activate(container: work)
  }

  @Test func `a change from inside of a change is refused, and one from a did is not`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let (work, play) = try (app.createNewContainer(name: "Work"), app.createNewContainer(name: "Play"))
    let log = Recorder<String>()
    let hook = app.onFlush {
      do {
        try app.createNewContainer(name: "Nested")
      } catch {
        log.record("\(error)")
      }
    }
    let isSent = Atomic<Bool>(false)
    let first = Delegate("first", log) { app in
      guard !isSent.exchange(true, ordering: .relaxed) else { return }
      do {
        try app.activate(container: play)
      } catch {
        log.record("\(error)")
      }
    }
    let second = Delegate("second", log)
    app.add(first)
    app.add(second)
    try app.activate(container: work)
    let nested = AppContainerError.nested(operation: "createNewContainer").description
    #expect(
      log.elements == [
        "first will Work", "second will Work", nested, "first did Work 1", "second did Work 1",
        "first will Play", "second will Play", nested, "first did Play 1", "second did Play 1",
      ])
    #expect(app.activeContainer.uuid == play.uuid)
    withExtendedLifetime((first, second, hook)) {}
  }

  @Test func `threads that switch at once take turns, and each will has its did`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let others = try (0..<3).map { try app.createNewContainer(name: "\($0)") }
    let events = app.events.recorded()
    withThreads(4) { index in
      for round in 0..<5 {
        let target = others[(index + round) % 3]
        #expect(throws: Never.self) { try app.activate(container: target) }
      }
    }
    var current: Container?
    for event in events.elements {
      switch event {
      case .willChange(let from, let to):
        #expect(current == nil || current?.uuid == from.uuid)
        current = to
      case .didChange(_, let to): #expect(current?.uuid == to.uuid)
      case .failed: Issue.record("nothing fails here")
      }
    }
    #expect(events.elements.count.isMultiple(of: 2))
    try app.activateContainer(uuid: Container.defaultUUID)
    #expect(fixture.text("top.txt") == "top 1")
  }

  @Test func `a task can switch without holding up others`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.createNewContainer(name: "Work")
    try await app.activate(container: work)
    #expect(app.activeContainer.uuid == work.uuid)
  }
}
