import Foundation
import NotesKit
import SignalsKit
import Testing

@Suite("History", .timeLimit(.minutes(2)))
struct HistoryTests {
  @Test func `an event that arrives twice is one line`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let keeper = HistoryKeeper(app)
      let note = try app.add("note")
      for await entry in try app.log.events(for: "test").values {
        try await keeper.record(entry)
        try await keeper.record(entry)
        break
      }
      let lines = try await app.history.read { try $0.all(Activity.self) }
      #expect(lines.map(\.note) == [note.id])
      #expect(lines.map(\.kind) == [.added])
    }
  }

  @Test func `an event whose environment was switched away waits for it`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let keeper = HistoryKeeper(app)
      let note = try app.add("note")
      var events = try app.log.events(for: "history").values.makeAsyncIterator()
      let entry = try #require(await events.next())
      try await app.environments.activate(named: "Demo")
      try await keeper.record(entry)
      #expect(try await app.history.read { try $0.count(Activity.self) } == 0)
      let other = try app.add("another note")
      #expect(await events.next()?.event.note == other.id)

      try await app.environments.activate(named: "Production")
      let again = try #require(await events.next())
      #expect(again.event.note == note.id)
      try await keeper.record(again)
      #expect(try await app.history.read { try $0.count(Activity.self) } == 1)
    }
  }

  @Test func `a keeper writes every event while environments are switched`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      let counts = app.history.observe { try $0.count(Activity.self) }
      let keeping = Task { try await HistoryKeeper(app).run { Issue.record($0) } }
      for number in 1...20 {
        try app.add("note \(number)", in: "Production")
        try await app.environments.activate(named: "Demo")
        try await app.environments.activate(named: "Production")
      }
      for await count in counts.values where count == 20 { break }
      keeping.cancel()
      _ = await keeping.result
    }
  }

  @Test func `events that were appended while no keeper ran are written later`() async throws {
    try await TestHome.run { home in
      let app = try await home.openWithUsers()
      for number in 1...20 { try app.add("note \(number)") }
      let counts = app.history.observe { try $0.count(Activity.self) }
      let keeping = Task { try await HistoryKeeper(app).run { Issue.record($0) } }
      for await count in counts.values where count == 20 { break }
      keeping.cancel()
      _ = await keeping.result
    }
  }
}
