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
}
