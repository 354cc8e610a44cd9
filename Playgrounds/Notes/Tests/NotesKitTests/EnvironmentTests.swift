import Foundation
import NotesKit
import SignalsKit
import SignalsTesting
import Testing
import TokenServer

@Suite("Environments", .timeLimit(.minutes(2)))
struct EnvironmentTests {
  @Test func `a note is in its own environment alone`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      for name in AppContainer.names {
        try await app.environments.activate(named: name)
        try app.add("written in \(name)", in: name)
      }
      for name in AppContainer.names {
        try await app.environments.activate(named: name)
        #expect(try app.notes().map(\.text) == ["written in \(name)"])
      }
    }
  }

  @Test func `a note for another environment than the active one is refused`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      #expect(throws: NotesError.otherEnvironment(wanted: "Demo", active: "Production")) {
        try app.add("for Demo", in: "Demo")
      }
      #expect(try app.notes().isEmpty)
      #expect(Array(app.log.entries()).isEmpty)
    }
  }

  @Test func `a switch changes everything on the screen at once`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      for name in AppContainer.names {
        try await app.environments.activate(named: name)
        try app.add(name)
        try await app.set(textSize: name == "Demo" ? .large : .small, showsActivity: nil)
        try app.tweaks.set(name, for: NotesFlags.Keys.banner)
      }
      let screens = app.screen().recorded()
      // A switch by another thread, while this one reads.
      let switching = Task.detached {
        for _ in 1...10 { for name in AppContainer.names { try await app.environments.activate(named: name) } }
      }
      try await switching.value
      let seen = screens.elements
      #expect(Set(seen.map(\.environment)) == Set(AppContainer.names))
      for screen in seen {
        #expect(screen.user == "user of \(screen.environment)")
        #expect(screen.notes.map(\.text) == [screen.environment])
        #expect(screen.flags.banner == screen.environment)
        #expect(screen.settings.textSize == (screen.environment == "Demo" ? .large : .small))
      }
    }
  }

  @Test func `a flag is overridden in one environment alone`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      try app.tweaks.set(false, for: NotesFlags.Keys.allowsPinning)
      let note = try app.add("note")
      #expect(throws: NotesError.disabled(feature: "Pinning")) { try app.pin(note.id) }
      try await app.environments.activate(named: "Demo")
      #expect(app.flags.allowsPinning)
    }
  }

  @Test func `another object of the home, as in another process, follows`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let other = try await home.open()
      let screens = other.screen().recorded()
      try app.add("from the first")
      _ = try await screens.wait(for: "the note") { $0.last?.notes.map(\.text) == ["from the first"] }
      try await app.environments.activate(named: "Staging")
      let last = try await screens.wait(for: "the switch") { $0.last?.environment == "Staging" }.last
      #expect(last?.notes.isEmpty == true)
    }
  }

  @Test func `a login that is answered after a switch logs no user in to the new environment`() async throws {
    try await TestHome.run { home in
      let app = try await home.open()
      await home.server.arrange(.slow)
      let login = Task { try await app.logIn("ada") }
      while await home.server.requests["/login"] == nil { await Task.yield() }
      try await app.environments.activate(named: "Demo")
      await #expect(throws: ContextError.environmentSwitched) { try await login.value }
      #expect(app.sessions.user.value == nil)
      try await app.environments.activate(named: "Production")
      #expect(app.sessions.user.value == nil)
    }
  }
}
