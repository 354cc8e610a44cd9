import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// The model of `EnvironmentList`, which the view only draws.
@Suite("The list of environments", .patient)
struct EnvironmentPanelTests {
  private let fixture: Fixture
  private let app: AppContainer
  private let panel: EnvironmentPanel

  init() throws {
    fixture = try Fixture(filled: false)
    app = try AppContainer(home: fixture.root)
    panel = EnvironmentPanel(container: app)
  }

  private var names: [String] { panel.rows.map { "\($0.isActive ? "*" : "")\($0.environment.name)" } }

  private func row(_ name: String) throws -> EnvironmentPanel.Row {
    try #require(panel.rows.first { $0.environment.name == name })
  }

  @Test func `the list shows all environments, and marks the active one`() async throws {
    try await panel.create(named: "Work")
    try await panel.create(named: "")
    #expect(names == ["*Default", "Work"])
    try await panel.perform(.activate, on: row("Work").id)
    #expect(names == ["Default", "*Work"])
    #expect(app.active.value.name == "Work")
    // Another process may change them, too.
    let other = try AppContainer(home: fixture.root)
    try await other.activate(id: Environment.defaultID)
    _ = try await app.active.firstValue("the switch") { $0.isDefault }
    #expect(names == ["*Default", "Work"])
  }

  @Test func `a page shows the identifier, the dates and the number of activations`() async throws {
    try await panel.create(named: "Work")
    let before = try row("Work")
    #expect(before.facts { _ in "date" }.map(\.label) == ["Identifier", "Created", "Last Activated", "Activations"])
    #expect(before.facts { _ in "date" }.map(\.text) == [before.id.uuidString, "date", "Never", "0"])
    try await panel.perform(.activate, on: before.id)
    let dates = try row("Work").environment
    let texts = try row("Work").facts { $0 == dates.createdAt ? "created" : $0 == dates.lastActivatedAt ? "now" : "" }
    #expect(texts.map(\.text) == [before.id.uuidString, "created", "now", "1"])
  }

  @Test func `a page changes name and description, and keeps what a person is typing`() async throws {
    try await panel.create(named: "Work")
    let id = try row("Work").id
    var draft = EnvironmentDraft()
    draft.follow(try row("Work").environment)
    #expect(draft.name == "Work" && draft.description.isEmpty && !draft.isChanged)
    try app.update(id: id, name: "Job", description: nil)
    draft.follow(try row("Job").environment)
    #expect(draft.name == "Job" && !draft.isChanged)

    draft.description = "for tests"
    #expect(draft.isChanged)
    try app.update(id: id, name: "Other", description: nil)
    draft.follow(try row("Other").environment)
    #expect(draft.name == "Job" && draft.description == "for tests")
    draft.show(try await panel.save(draft, of: id))
    #expect(!draft.isChanged)
    #expect(try row("Job").environment.description == "for tests")

    draft.description = ""
    draft.show(try await panel.save(draft, of: id))
    #expect(try row("Job").environment.description == nil)
    draft.name = "Nowhere"
    draft.show(try row("Job").environment)
    #expect(draft.name == "Job" && !draft.isChanged)
  }

  @Test func `what a person types while a page is saved stays`() async throws {
    try await panel.create(named: "Work")
    let id = try row("Work").id
    var draft = EnvironmentDraft()
    draft.follow(try row("Work").environment)
    draft.name = "Job"
    let sent = draft
    let saved = try await panel.save(sent, of: id)
    draft.description = "typed meanwhile"
    draft.follow(saved)
    draft.show(saved, storedFrom: sent)
    #expect(draft.name == "Job" && draft.description == "typed meanwhile" && draft.isChanged)

    let again = draft
    draft.show(try await panel.save(again, of: id), storedFrom: again)
    #expect(!draft.isChanged)
    #expect(try row("Job").environment.description == "typed meanwhile")
  }

  @Test func `a page clones, cleans and deletes, and asks before files are removed`() async throws {
    try await panel.create(named: "Work")
    let id = try row("Work").id
    #expect(try row("Work").actions == [.activate, .clone, .clean, .delete])
    try await panel.perform(.activate, on: id)
    #expect(try row("Work").actions == [.clone, .clean, .delete])
    #expect(try row("Default").actions == [.activate, .clone, .clean])
    let questions = try EnvironmentPanel.Action.allCases.map { try row("Work").question(before: $0) }
    #expect(
      questions == [
        nil, nil, "Remove all files of the environment Work?", "Delete the environment Work and its files?",
      ])
    #expect(EnvironmentPanel.Action.allCases.map(\.isDestructive) == questions.map { $0 != nil })

    let file = fixture.root.appending(path: "note")
    try Data("work".utf8).write(to: file)
    try await panel.perform(.clone, on: id)
    #expect(panel.rows.count == 3)
    try await panel.perform(.clean, on: id)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    let copy = try #require(panel.rows.last)
    try await panel.perform(.activate, on: copy.id)
    #expect(try String(contentsOf: file, encoding: .utf8) == "work")
    try await panel.perform(.delete, on: id)
    try await panel.perform(.delete, on: copy.id)
    #expect(names == ["*Default"])
    #expect(panel.row(id) == nil)
  }

  @Test func `an environment is exported, imported and reset from the list`() async throws {
    try await panel.create(named: "a/b:c")
    let id = try row("a/b:c").id
    let folder = fixture.root.deletingLastPathComponent().appending(path: "archives")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let archive = try await panel.export(id, in: folder)
    #expect(archive.lastPathComponent == "a-b-c.environment")
    try await panel.importEnvironment(from: archive)
    #expect(names == ["*Default", "a/b:c", "a/b:c"])
    panel.discard(archive)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(EnvironmentPanel.resetQuestion.contains("default"))
    try await panel.reset()
    #expect(names == ["*Default"])
    await #expect(throws: AppContainerError.notFound(id: id)) { try await panel.export(id, in: folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "a\0b", "two\nlines", String(repeating: "é", count: 2_000),
    "e" + String(repeating: "\u{301}", count: 900),
  ])
  func `an environment is exported, whatever its name`(name: String) async throws {
    let id = try app.create(name: name).id
    let folder = fixture.root.deletingLastPathComponent().appending(path: "archives")
    let archive = try await panel.export(id, in: folder)
    let file = archive.lastPathComponent
    #expect(file.hasSuffix(".environment") && !file.hasPrefix(".") && file.utf8.count <= 255)
    #expect(FileManager.default.fileExists(atPath: archive.path))
    try await panel.importEnvironment(from: archive)
    #expect(app.environments.value.map(\.name) == ["Default", name, name])
  }

  @Test func `a refused change of the list reaches the person as an error`() async throws {
    let missing = UUID()
    for action in EnvironmentPanel.Action.allCases {
      await #expect(throws: AppContainerError.self, "\(action)") { try await panel.perform(action, on: missing) }
    }
    await #expect(throws: AppContainerError.defaultEnvironment(operation: "deleted")) {
      try await panel.perform(.delete, on: Environment.defaultID)
    }
    await #expect(throws: AppContainerError.self) { try await panel.save(EnvironmentDraft(), of: missing) }
    await #expect(throws: AppContainerError.self) {
      try await panel.importEnvironment(from: fixture.root.appending(path: "missing"))
    }
    #expect(names == ["*Default"])
  }
}
