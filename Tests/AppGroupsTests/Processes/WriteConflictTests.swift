import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Shared values: conflicts of writers", .patient)
struct WriteConflictTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test(arguments: ["file", "suite"])
  func `three processes that edit different fields of a shared value lose none`(kind: String) async throws {
    let count = Scale.count(30, torture: 1000)
    let editors = try await CardEditors(opening: "card-\(kind) \(fixture.path)")
    let (card, merges) = try await editors.edit(count)
    #expect(card == "\(count) \(count) \(count)")
    #expect(merges == ["0", "1", "1"])
  }

  @Test(arguments: ["file", "suite"])
  func `a value that another process has changed since it was read is not replaced`(kind: String) async throws {
    let editors = try await CardEditors(opening: "card-\(kind) \(fixture.path)")
    let (error, card) = try await editors.collide()
    #expect(error?.contains("was changed by another writer") == true)
    #expect(card == "1 0 0")
  }

  @Test
  func `a conflict has the stored value, and a value that was changed back is unchanged`() throws {
    let note = try fixture.note("note.json", Note(count: 1, text: "base"))
    let base = note.value
    try note.write(Note(count: 2, text: "theirs"))
    let mine = Note(count: 1, text: "mine")
    do {
      try note.write(mine, basedOn: base)
      Issue.record("a changed value was replaced")
    } catch let conflict as WriteConflict<Note> {
      #expect(conflict.stored == Note(count: 2, text: "theirs"))
      #expect(!"\(conflict)".contains("theirs") && !String(reflecting: conflict).contains("theirs"))
      #expect(conflict.localizedDescription == "\(conflict)")
    }
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try note.write(mine, basedOn: base) { _, _, _ in throw Refusal() } }
    #expect(try note.read() == Note(count: 2, text: "theirs"))
    try note.write(base)
    #expect(try note.write(mine, basedOn: base) == mine)
    #expect(try note.write(mine, basedOn: base) == mine)
  }

  @Test
  func `a task merges without blocking its thread`() async throws {
    let note = try fixture.note("note.json", Note(count: 1, text: "base"))
    let base = note.value
    try await note.update { $0.count = 2 }
    let merged = try await note.write(Note(count: 1, text: "mine"), basedOn: base) { _, mine, stored in
      Note(count: stored.count, text: mine.text)
    }
    #expect(merged == Note(count: 2, text: "mine") && note.value == merged)
    await #expect(throws: WriteConflict(stored: merged)) { try await note.write(base, basedOn: base) }
  }

  @Test
  func `a lens conflicts only with changes of its part`() throws {
    let note = try fixture.note("note.json", Note(count: 1, text: "base"))
    let text = note.lens(\.text)
    try note.update { $0.count = 2 }
    try text.write("mine", basedOn: "base")
    #expect(try note.read() == Note(count: 2, text: "mine"))
    #expect(throws: WriteConflict<String>.self) { try text.write("other", basedOn: "base") }
  }
}
