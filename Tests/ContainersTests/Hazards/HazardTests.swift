import AppGroups
import CLibrary
import Containers
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// The faults of earlier systems, in their order.
@Suite("Hazards of switching", .eachLayout, .patient)
struct HazardTests {
  @Test func `adopting the library destroys no existing files`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try app.activate(work)
    try app.activate(id: Environment.defaultID)
    #expect(fixture.text("Documents/user.db") == "user 1")
    #expect(try fixture.live() == before)
  }

  @Test func `a clone copies nested folders`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let deep = (0..<100).map { "f\($0)" }.joined(separator: "/")
    try fixture.write("deepest", to: "\(deep)/file")
    let copy = try app.clone(app.active.value)
    #expect(Tree.text(fixture.data(copy).appending(path: "\(deep)/file")) == "deepest")
  }

  @Test func `no repeated call deletes an inactive environment`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    for _ in 0..<3 { try app.activate(work) }
    for _ in 0..<3 { try app.activate(id: Environment.defaultID) }
    #expect(try fixture.live() == before)
  }

  @Test func `a switch that fails halfway is undone without loss`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    struct Stop: Error {}
    final class Failing: EnvironmentSettings {
      let name = "Failing"
      func flush(into directory: URL) throws {}
      func load(from directory: URL) throws {
        // Everything has already been moved.
        if !directory.path.contains(Environment.defaultID.uuidString) { throw Stop() }
      }
    }
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    app.add(Failing())
    #expect(throws: AppContainerError.settingsFailed("Failing", reason: "Stop()")) { try app.activate(work) }
    #expect(app.active.value.isDefault)
    #expect(try fixture.live() == before)
    #expect(!fixture.exists(".containers/journal.json"))
  }

  @Test func `a damaged or lost list does not let the default environment overwrite another`() throws {
    for damage in ["{", "", "null", #"{"version":1}"#] {
      let fixture = try Fixture()
      do {
        let app = try fixture.open()
        try app.activate(app.create(name: "Work"))
        try Tree.fill(fixture.root, seed: 2)
      }
      let live = try fixture.live()
      try fixture.write(damage, to: ".containers/state.json")
      // Its copy reports the same.
      do {
        let app = try fixture.open()
        #expect(app.active.value.name == "Work")
        #expect(try fixture.live() == live)
      }
      try fixture.write(damage, to: ".containers/state.json")
      try fixture.write(damage, to: ".containers/state.backup.json")
      #expect(throws: AppContainerError.self) { try fixture.open() }
      for name in ["state.json", "state.backup.json"] {
        try FileManager.default.removeItem(at: fixture.url(".containers/\(name)"))
      }
      #expect(throws: AppContainerError.self) { try fixture.open() }
      #expect(try fixture.live() == live)
    }
  }

  @Test func `a link to a directory is moved as a link, and its target is left alone`() throws {
    let fixture = try Fixture()
    let outside = fixture.directory.url.appending(path: "outside")
    try Tree.write("precious", to: outside.appending(path: "file"))
    try FileManager.default.createSymbolicLink(at: fixture.url("outside"), withDestinationURL: outside)
    try FileManager.default.createSymbolicLink(at: fixture.url("Documents/outside"), withDestinationURL: outside)
    let before = try fixture.live()
    let app = try fixture.open()
    let copy = try app.clone(app.active.value)
    let work = try app.create(name: "Work")
    try app.activate(work)
    try app.clean(copy)
    try app.delete(copy)
    #expect(Tree.text(outside.appending(path: "file")) == "precious")
    try app.activate(id: Environment.defaultID)
    #expect(try fixture.live() == before)
    // As an excluded path, the link stays. A directory above an excluded path is entered, but a link in its place is
    // not.
    try app.setExcludedPaths(["outside/file"])
    try app.activate(work)
    #expect(!fixture.exists("outside"))
    try app.activate(id: Environment.defaultID)
    #expect(try fixture.live() == before)
  }

  @Test func `an excluded path is matched component by component, not by its suffix`() throws {
    let fixture = try Fixture(filled: false)
    let moving = [
      "Library/Application Support/MyPreferences/a", "Library/Application Support/ImageCaches/a", "xSettings.db",
      "upload.tmp", "MyDocuments/a", "sub/Settings.db", "Settings.db2", "Library/Caches/xy", "Library/Caches/y/x",
    ]
    let staying = ["Settings.db", "tmp/a", "Library/Caches/x/a", "Library/Caches/x/b/c"]
    for path in moving + staying { try fixture.write(path, to: path) }
    let app = try fixture.open()
    try app.setExcludedPaths(["Settings.db", "tmp", "./Library//Caches/x/"])
    #expect(app.excludedPaths == ["Settings.db", "tmp", "Library/Caches/x"])
    let before = try fixture.live()
    let work = try app.create(name: "Work")
    try app.activate(work)
    for path in moving { #expect(!fixture.exists(path), "\(path)") }
    for path in staying { #expect(fixture.text(path) == path) }
    // Permanent entries leave no traces in the inactive environment, and vice versa.
    #expect(try fixture.foreignNames(in: "Library/Application Support") == [])
    try fixture.write("changed by all", to: "tmp/a")
    try fixture.write("work", to: "Library/Caches/xy")
    try app.activate(id: Environment.defaultID)
    #expect(fixture.text("tmp/a") == "changed by all")
    #expect(fixture.text("Library/Caches/xy") == "Library/Caches/xy")
    try fixture.write("tmp/a", to: "tmp/a")
    #expect(try fixture.live() == before)
    try app.activate(work)
    #expect(fixture.text("Library/Caches/xy") == "work")
    // The next launch uses the same excluded paths.
    #expect(try fixture.open().excludedPaths == ["Settings.db", "tmp", "Library/Caches/x"])
  }

  @Test func `a name that is excluded at any depth stays everywhere, and all environments share it`() throws {
    let fixture = try Fixture(filled: false)
    let staying = ["Settings.db", "sub/Settings.db", "sub/deep/er/Settings.db"]
    for path in staying + ["sub/other", "sub/deep/x/y", "z/Settings.db2"] { try fixture.write(path, to: path) }
    let app = try fixture.open()
    try app.setExcludedPaths(["**/Settings.db"])
    #expect(try fixture.open().excludedPaths == ["**/Settings.db"])
    let before = try fixture.live()
    let work = try app.create(name: "Work")
    try app.activate(work)
    for path in staying { #expect(fixture.text(path) == path) }
    for path in ["sub/other", "sub/deep/x", "z"] { #expect(!fixture.exists(path), "\(path)") }
    try fixture.write("shared", to: "sub/Settings.db")
    try fixture.write("new", to: "work/Settings.db")
    try fixture.write("work", to: "work/own")
    try app.activate(id: Environment.defaultID)
    #expect(fixture.text("sub/Settings.db") == "shared")
    #expect(fixture.text("work/Settings.db") == "new")
    #expect(!fixture.exists("work/own"))
    try fixture.write("sub/Settings.db", to: "sub/Settings.db")
    try FileManager.default.removeItem(at: fixture.url("work"))
    #expect(try fixture.live() == before)
    try app.activate(work)
    #expect(fixture.text("work/own") == "work")
    // A file with that name opens without the scope, because no switch moves it.
    #expect(try SwitchedRoots.root(switching: fixture.url("any/where/Settings.db")) == nil)
    #expect(try SwitchedRoots.root(switching: fixture.url("any/where/else")) != nil)
  }

  @Test func `any other pattern is refused`() throws {
    let app = try Fixture().open()
    for pattern in ["*", "*.db", "**/*.db", "**/a/b", "a/**/b", "a/*", "**"] {
      #expect(throws: AppContainerError.self) { try app.setExcludedPaths([pattern]) }
    }
    #expect(app.excludedPaths.isEmpty)
  }

  @Test func `the default environment cannot be deleted`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    #expect(throws: AppContainerError.defaultEnvironment(operation: "deleted")) {
      try app.delete(app.active.value)
    }
    try app.activate(app.create(name: "Work"))
    #expect(throws: AppContainerError.defaultEnvironment(operation: "deleted")) {
      try app.delete(id: Environment.defaultID)
    }
    #expect(!app.active.value.isDefault)
    try app.activate(id: Environment.defaultID)
    #expect(try fixture.live() == before)
  }

  @Test func `an unknown environment cannot be activated`() throws {
    let (fixture, other) = try (Fixture(), Fixture())
    let app = try fixture.open()
    let stranger = try other.open().create(name: "Stranger")
    let events = app.events.recorded()
    #expect(throws: AppContainerError.notFound(id: stranger.id)) { try app.activate(stranger) }
    #expect(app.active.value.isDefault && events.elements.isEmpty)
    #expect(fixture.text("top.txt") == "top 1")
  }

  @Test func `cleaning the active environment empties the live files`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    try app.clean(app.active.value)
    #expect(try fixture.live().isEmpty)
  }

  @Test func `after a reset, no stale environment can be activated`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try app.reset()
    #expect(app.environments.value.count == 1)
    #expect(throws: AppContainerError.notFound(id: work.id)) { try app.activate(work) }
    #expect(fixture.text("top.txt") == "top 1")
  }

  @Test func `a missing excluded path does not abort a switch after its announcement`() throws {
    let fixture = try Fixture(filled: false)
    let app = try fixture.open()
    try app.setExcludedPaths(["Library/Preferences", "Library/Caches/x"])
    let events = app.events.recorded()
    try app.activate(app.create(name: "Work"))
    #expect(events.elements.count == 2)
  }

  @Test func `no empty directories of one environment stay in another`() throws {
    let fixture = try Fixture(filled: false)
    try FileManager.default.createDirectory(at: fixture.url("a/b/c"), withIntermediateDirectories: true)
    try fixture.write("inner", to: "x/y/z/file")
    let app = try fixture.open()
    // No excluded path exists, so no directory has a reason to stay.
    try app.setExcludedPaths(["x/y/none", "a/none"])
    try app.activate(app.create(name: "Work"))
    #expect(try fixture.live().isEmpty)
    #expect(try fixture.foreignNames() == [])
  }

  @Test func `two objects on two threads do not disturb each other in one group`() throws {
    let fixture = try Fixture()
    let group = try AppGroupsContainer(directory: fixture.root)
    let apps = try [AppContainer(group: group), AppContainer(group: group)]
    let work = try apps[0].create(name: "Work")
    let before = try fixture.live()
    withThreads(2) { index in
      for round in 0..<6 {
        let id = round.isMultiple(of: 2) ? work.id : Environment.defaultID
        #expect(throws: Never.self) { try apps[index].activate(id: id) }
        #expect(throws: Never.self) { try apps[index].create(name: "\(index)") }
      }
    }
    try apps[0].activate(id: Environment.defaultID)
    #expect(try fixture.live() == before)
    #expect(apps[0].environments.value.count == 14)
    #expect(apps[0].environments.value == apps[1].environments.value)
  }

  @Test func `a live value stops writing to an environment that becomes inactive`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "count.json", initialValue: 0, scope: app.scope)
    try file.write(1)
    try app.activate(app.create(name: "Work"))
    #expect(file.value == 0)
    try file.write(7)
    #expect(fixture.text("Files/count.json") == "7\n")
    try app.activate(id: Environment.defaultID)
    #expect(file.value == 1)
    #expect(fixture.text("Files/count.json") == "1\n")
  }

  @Test func `settings are saved for their environment before a switch, and loaded after it`() throws {
    final class Memory: EnvironmentSettings {
      let name = "Memory"
      let text = MutableProperty("nothing")
      func flush(into directory: URL) throws {
        try DurableFile.write(Data(text.value.utf8), to: directory.appending(path: "memory"))
      }
      func load(from directory: URL) throws {
        text.value = Tree.text(directory.appending(path: "memory")) ?? "nothing"
      }
    }
    let fixture = try Fixture()
    let app = try fixture.open()
    let memory = Memory()
    app.add(memory)
    memory.text.value = "default's"
    let work = try app.create(name: "Work")
    try app.activate(work)
    #expect(memory.text.value == "nothing")
    memory.text.value = "work's"
    try app.activate(id: Environment.defaultID)
    #expect(memory.text.value == "default's")
    let copy = try app.clone(app.active.value)
    try app.clean(app.active.value)
    #expect(memory.text.value == "nothing")
    try app.activate(work)
    #expect(memory.text.value == "work's")
    try app.activate(copy)
    #expect(memory.text.value == "default's")
  }

  @Test func `a list with anything but identifiers is rejected, and no name becomes a path`() throws {
    let lower = UUID().uuidString.lowercased()
    for name in ["", ".", "..", "../../home", "x", "00000000-0000-0000-0000-00000000000Z", "state.json", lower] {
      let fixture = try Fixture()
      do { _ = try fixture.open() }
      let zero = Environment.defaultID.uuidString
      for (active, names) in [(zero, [zero, name]), (name, [zero, name])] {
        let list: [String: Any] = [
          "version": 1, "revision": 2, "switches": 0, "active": active, "uuids": names, "excludes": [],
          "activations": [:],
        ]
        let data = try JSONSerialization.data(withJSONObject: list)
        for file in ["state.json", "state.backup.json"] { try data.write(to: fixture.url(".containers/\(file)")) }
        let error = #expect(throws: AppContainerError.self) { try fixture.open() }
        guard case .unreadableState = error else { throw try #require(error) }
      }
      #expect(fixture.text("top.txt") == "top 1")
    }
  }

  @Test func `a directory whose name is not an identifier is neither listed nor lost`() throws {
    let fixture = try Fixture()
    let names = ["notes", UUID().uuidString.lowercased(), "00000000-0000-0000-0000-00000000000Z", "{\(UUID())}"]
    do { _ = try fixture.open() }
    for name in names { try fixture.write(name, to: ".containers/\(name)/data/file") }
    let app = try fixture.open()
    #expect(app.environments.value.count == 1)
    try app.activate(app.create(name: "Work"))
    try app.reset()
    for name in names { #expect(fixture.text(".containers/\(name)/data/file") == name) }
  }

  @Test func `every operation rejects an unknown identifier`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let id = UUID()
    let error = AppContainerError.notFound(id: id)
    #expect(throws: error) { try app.activate(id: id) }
    #expect(throws: error) { try app.delete(id: id) }
    #expect(throws: error) { try app.clean(id: id) }
    #expect(throws: error) { try app.clone(id: id) }
    #expect(throws: error) { try app.update(id: id, name: "", description: nil) }
    #expect(throws: error) { try app.export(id: id, to: fixture.directory.url.appending(path: "archive")) }
    #expect(fixture.text("top.txt") == "top 1")
  }

  @Test func `an impossible operation throws an error with operation, path and cause`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try fixture.write("garbage", to: ".containers/\(work.id)/info.json")
    try app.create(name: "Next")
    let damaged = try #require(app.environments.value.first { $0.id == work.id })
    #expect(damaged.problem?.contains("info.json") == true)
    try app.activate(damaged)
    let repaired = try app.update(damaged, name: "Work", description: nil)
    #expect(repaired.problem == nil && repaired.name == "Work")
  }

  @Test func `a switch renames only top-level entries, and touches no file below`() throws {
    let fixture = try Fixture(filled: false)
    for index in 0..<200 { try fixture.write("\(index)", to: "folder/\(index % 10)/\(index)") }
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let steps = Recorder<SwitchStep>()
    app.onStep { steps.record($0) }
    try app.activate(work)
    #expect(steps.elements.filter { $0 == .left }.count == 1)
  }
}
