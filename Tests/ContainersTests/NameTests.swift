import AppGroups
import Containers
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Environments by name", .eachLayout, .patient)
struct NameTests {
  @Test func `an environment is created once if it is missing, and then found by its name`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let staging = try app.createIfMissing(name: "Staging", description: "for testers")
    #expect(staging.description == "for testers" && app.active.value.isDefault)
    #expect(try app.createIfMissing(name: "Staging", description: "other") == staging)
    #expect(try fixture.open().createIfMissing(name: "Staging") == staging)
    #expect(try app.environment(named: "Staging") == staging)
    #expect(try app.environment(named: "Default").isDefault)
    #expect(app.environments.value.map(\.name) == ["Default", "Staging"])
  }

  @Test func `a name with a typing error is not found and creates nothing, and the error names the right one`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    try app.create(name: "Staging")
    try app.create(name: "Production")
    let known = ["Default", "Staging", "Production"]
    for (name, meant) in [("Stagin", "Staging"), ("staging", "Staging"), ("PRODUCTION", "Production")] {
      let error = #expect(throws: AppContainerError.nameNotFound(name, known: known)) {
        try app.environment(named: name)
      }
      #expect(
        error?.description == "There is no environment named \"\(name)\". Did you mean \"\(meant)\"? The names are "
          + "\"Default\", \"Staging\", \"Production\". Correct the name, or create the environment with create(name:).")
    }
    let error = #expect(throws: AppContainerError.self) { try app.environment(named: "x") }
    #expect(error?.description.contains("Did you mean") == false)
    #expect(app.environments.value.map(\.name) == known)
    #expect(AppContainerError.nameNotFound("x", known: (0..<12).map(String.init)).description.contains("and 2 others."))
  }

  @Test func `the first environment gets the given name once, and keeps a name that it was given later`() throws {
    let fixture = try Fixture()
    guard fixture.layout == .plain else { return }
    let app = try AppContainer(home: fixture.root, defaultName: "Production")
    #expect(app.active.value.name == "Production" && app.active.value.isDefault)
    #expect(fixture.exists("top.txt"))
    #expect(try AppContainer(home: fixture.root, defaultName: "Other").active.value.name == "Production")
    try app.update(app.active.value, name: "Live", description: nil)
    #expect(try AppContainer(home: fixture.root, defaultName: "Production").active.value.name == "Live")
    let group = try TemporaryDirectory()
    let container = try AppGroupsContainer(directory: group.url)
    #expect(try AppContainer(group: container, defaultName: "Shared").environment(named: "Shared").isDefault)
  }

  @Test func `processes that open a new root at the same time agree on the name of its first environment`() async throws
  {
    for _ in 0..<Scale.count(5, torture: 100) {
      let fixture = try Fixture()
      let peers = try (0..<3).map { _ in try PeerProcess() }
      let names = try await withThrowingTaskGroup(of: String.self) { group in
        for (index, peer) in peers.enumerated() {
          group.addTask { try await peer.send("env-first \(index) \(fixture.root.path)") }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(names.count == 1)
    }
  }

  @Test func `canonically equivalent names are equal, and the oldest of several environments is found`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let first = try app.create(name: "Cafe\u{301}")
    try app.create(name: "Caf\u{e9}")
    #expect(try app.environment(named: "Caf\u{e9}") == first)
    #expect(try app.createIfMissing(name: "Caf\u{e9}") == first)
    #expect(throws: AppContainerError.self) { try app.environment(named: "caf\u{e9}") }
    #expect(try app.createIfMissing(name: "caf\u{e9}").id != first.id)
  }

  @Test func `processes that request one name concurrently receive the same environment`() async throws {
    let fixture = try Fixture(filled: false)
    let app = try fixture.open()
    let peers = try (0..<4).map { _ in try PeerProcess() }
    for peer in peers { try await peer.send("env \(fixture.root.path)") }
    let rounds = Scale.count(8, torture: 200)
    for round in 0..<rounds {
      let ids = try await withThrowingTaskGroup(of: String.self) { group in
        for peer in peers { group.addTask { try await peer.send("env-named \(round)") } }
        group.addTask { try await onThread { try app.createIfMissing(name: "\(round)").id.uuidString } }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(ids.count == 1, "round \(round)")
    }
    #expect(app.environments.value.map(\.name) == ["Default"] + (0..<rounds).map { "\($0)" })
  }

  @Test func `of processes that create the same unique name at the same time, one succeeds`() async throws {
    let fixture = try Fixture(filled: false)
    let app = try fixture.open()
    let peers = try (0..<4).map { _ in try PeerProcess() }
    for peer in peers {
      try await peer.send("env \(fixture.root.path)")
      try await peer.send("env-unique")
    }
    let rounds = Scale.count(8, torture: 200)
    for round in 0..<rounds {
      let made = await withTaskGroup(of: Bool.self) { group in
        for peer in peers {
          group.addTask {
            do {
              try await peer.send("env-new \(round)")
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(made == 1, "round \(round)")
    }
    let id = try app.create(name: "last").id
    #expect(app.environments.value.map(\.name) == ["Default"] + (0..<rounds).map { "\($0)" } + ["last"])
    let error = await #expect(throws: PeerProcess.Failure.self) { try await peers[0].send("env-new last") }
    #expect(error.map { "\($0)" }?.contains(AppContainerError.nameTaken("last", by: id).description) == true)
  }

  @Test func `a taken name is rejected by every operation, and the attempt leaves nothing behind`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let play = try app.create(name: "Play")
    let archive = fixture.directory.url.appending(path: "archive")
    try app.export(work, to: archive)
    // Names were not yet unique when these environments were created.
    let twin = try app.create(name: "Work")
    app.requiresUniqueNames = true
    let before = try FileManager.default.contentsOfDirectory(atPath: fixture.url(".containers").path).sorted()
    let listed = app.environments.value
    let error = AppContainerError.nameTaken("Work", by: work.id)
    #expect(throws: error) { try app.create(name: "Work") }
    #expect(throws: error) { try app.clone(work) }
    #expect(throws: error) { try app.clone(play, name: "Work") }
    #expect(throws: error) { try app.importEnvironment(from: archive) }
    #expect(throws: error) { try app.update(play, name: "Work", description: nil) }
    #expect(try fixture.open().requiresUniqueNames)
    #expect(app.environments.value == listed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.url(".containers").path).sorted() == before)

    #expect(try app.update(play, name: "Play", description: "new").description == "new")
    #expect(try app.update(twin, name: "Twin", description: nil).name == "Twin")
    #expect(try app.importEnvironment(from: archive, name: "Copy").name == "Copy")
    #expect(try app.environment(named: "Work") == work)
    app.requiresUniqueNames = false
    #expect(try app.clone(work).name == "Work")
  }

  @Test func `an environment that a killed process created but did not list is found, and not created again`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    // As if the process were killed before it wrote the list.
    let aside = fixture.directory.url.appending(path: "aside")
    try FileManager.default.moveItem(at: fixture.url(".containers/\(work.id)"), to: aside)
    #expect(try fixture.open().environments.value.count == 1)
    try FileManager.default.moveItem(at: aside, to: fixture.url(".containers/\(work.id)"))
    #expect(try app.environment(named: "Work").id == work.id)
    #expect(app.environments.value.map(\.id) == [Environment.defaultID, work.id])
  }

  @Test func `an environment with a damaged record is not found, and its files stay`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try Tree.write("kept", to: fixture.data(work).appending(path: "file"))
    try fixture.write("garbage", to: ".containers/\(work.id)/info.json")
    #expect(throws: AppContainerError.nameNotFound("Work", known: ["Default"])) { try app.environment(named: "Work") }
    let new = try app.createIfMissing(name: "Work")
    #expect(new.id != work.id)
    #expect(app.environments.value.first { $0.id == work.id }?.problem != nil)
    #expect(Tree.text(fixture.data(work).appending(path: "file")) == "kept")
  }
}
