import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

/// Emitters replace the kernel, so a change is noticed only when the test sends it.
@Suite("Environments with injected changes")
struct InjectedChangeTests {
  @Test func `an engine follows another process's switch when its source reports a change`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let (state, journal) = (Emitter<PathChange, Never>(), Emitter<PathChange, Never>())
    let layout = app.engine.layout
    do {
      // A separate engine, as in another process.
      let engine = try ContainerEngine(layout, settings: [], onStep: { _ in }) { url in
        url == layout.stateURL ? state : journal
      }
      let actives = engine.active.map(\.name).recorded()
      let events = engine.events.recorded()
      for source in [state, journal] {
        #expect(await source.subscriptions().map(\.description) == ["sink"])
      }

      try await app.activate(work)
      #expect(engine.active.value.isDefault && actives.elements == ["Default"])
      state.send(PathChange(written: "state.json"))
      #expect(engine.active.value.id == work.id && actives.elements == ["Default", "Work"])
      #expect(events.elements.count == 1)
      // An event for a known change has no effect.
      state.send(PathChange(written: "state.json"))
      journal.send(PathChange(written: "journal.json"))
      #expect(actives.elements == ["Default", "Work"] && events.elements.count == 1)
    }
    #expect(state.subscriberCount == 0 && journal.subscriberCount == 0)
  }

  @Test(.patient) func `a switch that a busy lock kept from being followed is followed without another event`()
    async throws
  {
    let fixture = try Fixture()
    let container = try AppGroupsContainer(directory: fixture.root)
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let (state, journal) = (Emitter<PathChange, Never>(), Emitter<PathChange, Never>())
    let layout = app.engine.layout
    let engine = try ContainerEngine(layout, settings: [], onStep: { _ in }) { url in
      url == layout.stateURL ? state : journal
    }
    try await app.activate(work)
    // As a process that was stopped inside an operation.
    let file = open(fixture.url(".containers/.shared/state.json.lock").path, O_RDWR | O_CLOEXEC)
    #expect(file >= 0 && flock(file, LOCK_EX) == 0)
    container.lockTimeout = .milliseconds(50)
    defer { container.lockTimeout = nil }
    let failures = engine.failures.recorded()
    state.send(PathChange(written: "state.json"))
    #expect(engine.active.value.isDefault)
    guard case .file(.lockTimeout)? = failures.elements.last else {
      Issue.record("\(failures.elements)")
      return
    }
    close(file)
    try await engine.active.firstValue("the new environment") { $0.id == work.id }
    withExtendedLifetime(engine) {}
  }
}
