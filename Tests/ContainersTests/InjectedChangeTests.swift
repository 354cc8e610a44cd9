import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

/// Emitters stand in for the kernel, so a change is noticed when the test says so, and at no other time.
@Suite("Environments with injected changes")
struct InjectedChangeTests {
  @Test func `an engine follows another process's switch when its source tells of a change`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let (state, journal) = (Emitter<PathChange, Never>(), Emitter<PathChange, Never>())
    let layout = app.engine.layout
    do {
      // An engine of its own, as another process has.
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
      // News of what is known already changes nothing.
      state.send(PathChange(written: "state.json"))
      journal.send(PathChange(written: "journal.json"))
      #expect(actives.elements == ["Default", "Work"] && events.elements.count == 1)
    }
    #expect(state.subscriberCount == 0 && journal.subscriberCount == 0)
  }
}
