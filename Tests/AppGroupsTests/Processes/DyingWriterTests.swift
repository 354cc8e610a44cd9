import AppGroups
import CLibrary
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Dying writers", .seeded, .patient)
struct DyingWriterTests {
  @Test
  func `a writer killed at any moment leaves a whole value, a free lock, and at most one temporary file`() async throws
  {
    let fixture = try Fixture()
    let file = try fixture.note()
    let rounds = Scale.count(30, torture: 500)
    var chance = Chance()
    for round in 1...rounds {
      let writer = try await fixture.peer()
      try await writer.send("loop-write \(fixture.path) note.json 200000")
      // Not a wait: a random moment to strike.
      try await Task.sleep(for: .microseconds(chance.number(below: 10_000)))
      try await writer.kill()

      let left = try file.read()
      #expect(left.text.isEmpty || Set(left.text.utf8).count == 1)
      #expect([0, 200_000, "survivor".utf8.count].contains(left.text.utf8.count) || left.text == "survivor")
      let beside = try fixture.contents(of: fixture.files.appending(path: ".shared"))
      #expect(beside == ["note.json.lock"] || beside == ["note.json.lock", "note.json.tmp"])
      // Deadlocks if the lock was not released.
      try await file.update { $0 = Note(count: round, text: "") }
      #expect(try file.read() == Note(count: round))
      #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["note.json.lock"])
      if round.isMultiple(of: 50) { Scale.progress("\(round) of \(rounds) writers killed") }
    }
    #expect(file.status.value == .current)
  }

  @Test
  func `a process that dies while it holds the lock blocks no other`() async throws {
    let fixture = try Fixture()
    let file = try fixture.counter()
    let holder = try await fixture.peer()
    try await holder.send("hold \(file.url.path)")
    let update = Task { try await file.update { $0 += 1 } }
    try await holder.kill()
    try await update.value
    #expect(file.value == 1)
  }

  @Test
  func `a process stopped while it holds the lock blocks no reader or observer`() async throws {
    let fixture = try Fixture()
    let file = try fixture.counter()
    let holder = try await fixture.peer()
    try await holder.send("hold \(file.url.path)")
    holder.signal(SIGSTOP)
    try Data("7".utf8).write(to: file.url, options: .atomic)
    try await file.firstValue { $0 == 7 }
    #expect(try file.read() == 7)
    holder.signal(SIGCONT)
    try await holder.send("release")
    try await file.update { $0 += 1 }
    #expect(file.value == 8)
  }
}
