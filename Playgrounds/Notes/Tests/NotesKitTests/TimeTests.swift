import Foundation
import NotesKit
import SignalsKit
import SignalsTesting
import Testing
import TokenClient
import TokenServer

/// No test waits: time is a clock that the test advances.
@Suite("Virtual time", .timeLimit(.minutes(2)))
struct TimeTests {
  private func draft(of app: NotesApp) throws -> String? {
    try app.sessions.current.value.store.persistence.read { try $0.find(Draft.self, id: 1)?.text }
  }

  @Test func `a draft is saved half a second after the last key`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let clock = TestClock()
      let drafts = DraftKeeper(app, clock: clock)
      for text in ["M", "Mi", "Mil", "Milk"] {
        try drafts.type(text)
        await clock.advance(by: .milliseconds(400))
        #expect(try draft(of: app) == nil)
      }
      await clock.advance(by: .milliseconds(100))
      #expect(try draft(of: app) == "Milk")
    }
  }

  @Test func `a switch saves the draft first, and takes it nowhere else`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let drafts = DraftKeeper(app, clock: TestClock())
      try drafts.type("half a thought")
      try await app.environments.activate(named: "Demo")
      #expect(try draft(of: app) == nil)
      try await app.environments.activate(named: "Production")
      #expect(try draft(of: app) == "half a thought")
    }
  }

  @Test func `a draft that is saved too late is dropped`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let clock = TestClock()
      let drafts = DraftKeeper(app, clock: clock)
      let failures = drafts.failures.recorded()
      try drafts.type("hers")
      try await app.logOut()
      try await app.logIn("another user")
      await clock.advance(by: .seconds(1))
      #expect(try draft(of: app) == nil)
      #expect(failures.elements.isEmpty)
    }
  }

  @Test func `a burst of changes is one frame, and the last one is repeated`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let screen = app.screen()
      let clock = TestClock()
      let frames = screen.frames(clock: clock).recorded()
      #expect(frames.elements.count == 1)
      for number in 1...100 {
        try await app.set(textSize: number % 2 == 0 ? .small : .large, showsActivity: nil)
      }
      #expect(frames.elements.count == 1)
      await clock.advance(by: .milliseconds(50))
      #expect(frames.elements.count == 2)
      #expect(frames.elements.last?.settings.textSize == .small)
      await clock.advance(by: .seconds(15))
      #expect(frames.elements.count == 3)
      #expect(frames.elements.last == screen.value)
    }
  }

  @Test func `a token is renewed before it expires`() async throws {
    try await TestHome.run(lifetime: 600) { home in
      let clock = TestClock()
      let app = try await home.open(time: SessionTime(clock: clock, startingAt: Date()))
      let first = try await app.logIn("ada")
      let users = app.sessions.user.recorded()
      await clock.advance(by: .seconds(530))
      #expect(await home.server.requests["/renew"] == nil)
      await clock.advance(by: .seconds(20))
      _ = try await users.wait(for: "the next token") { $0.last??.secret != first.secret }
      #expect(await home.server.requests["/renew"] == 1)
      #expect(app.sessions.authState.value == .authenticated)
    }
  }
}
