import Foundation
import Signals
import TestSupport
import Testing
@testable import Containers

/// A root with the records of the library AppContainer.
private struct LegacyRoot {
  static let work = "1F0C7A53-0B6F-4E0C-9F8D-2C1C9D7A0001"
  static let test = "1F0C7A53-0B6F-4E0C-9F8D-2C1C9D7A0002"
  static let standard = "00000000-0000-0000-0000-000000000000"
  static let created = Date(timeIntervalSinceReferenceDate: 600_000_000)

  let fixture: Fixture

  init(active: String?, settings: String = "com.p-x9.AppContainer.settings.plist") throws {
    fixture = try Fixture(filled: false)
    for (number, id) in [Self.standard, Self.work, Self.test].enumerated() {
      for folder in ["Library/Caches", "Library/Preferences", "Documents", "tmp"] {
        try FileManager.default.createDirectory(
          at: fixture.url("\(Self.path)/\(id)/\(folder)"), withIntermediateDirectories: true)
      }
      let record: [String: Any] = [
        "uuid": id, "name": ["DEFAULT", "Work", "Test"][number], "description": "number \(number)",
        "createdAt": Self.created.addingTimeInterval(Double(number)), "lastActivatedDate": Self.created,
        "activatedCount": active == nil ? 0 : number + 1,
      ]
      try write(record, to: "\(Self.path)/\(id)/container.plist")
      if id != active ?? Self.standard {
        try fixture.write("\(id) note", to: "\(Self.path)/\(id)/Documents/note.txt")
        try fixture.write("\(id) deep", to: "\(Self.path)/\(id)/Library/Application Support/a/b.db")
      }
    }
    try fixture.write("live note", to: "Documents/note.txt")
    if let active { try write(["currentContainerUUID": active], to: "\(Self.path)/\(settings)") }
  }

  static let path = "Library/.__app_container__"

  func write(_ values: [String: Any], to path: String) throws {
    let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    try data.write(to: fixture.url(path))
  }
}

@Suite("Environments of the library AppContainer")
struct LegacyTests {
  private typealias Environment = AppContainer.Environment

  private func id(_ text: String) throws -> UUID { try #require(UUID(uuidString: text)) }

  @Test(arguments: [LegacyRoot.standard, LegacyRoot.work])
  func `all environments are taken over with their files and records`(_ active: String) throws {
    let root = try LegacyRoot(active: active)
    let app = try root.fixture.open()
    #expect(try app.adoptLegacyContainers())
    #expect(app.active.value.id == (try id(active)))
    #expect(app.environments.value.map(\.name) == ["DEFAULT", "Work", "Test"])
    #expect(app.environments.value.map(\.description) == ["number 0", "number 1", "number 2"])
    #expect(app.environments.value.map(\.activationCount) == [1, 2, 3])
    #expect(app.environments.value[1].createdAt == LegacyRoot.created.addingTimeInterval(1))
    #expect(app.environments.value[1].lastActivatedAt == LegacyRoot.created)
    #expect(!root.fixture.exists(LegacyRoot.path))
    for other in [LegacyRoot.standard, LegacyRoot.work, LegacyRoot.test] {
      try app.activate(id: id(other))
      #expect(root.fixture.text("Documents/note.txt") == (other == active ? "live note" : "\(other) note"))
      #expect(root.fixture.exists("Library/Application Support/a/b.db") == (other != active))
    }
    #expect(try !app.adoptLegacyContainers())
    #expect(try root.fixture.open().environments.value.count == 3)
  }

  @Test
  func `a count that no program can have reached is limited, and activations add to it`() throws {
    let root = try LegacyRoot(active: LegacyRoot.standard)
    for (text, count) in [(LegacyRoot.work, Int.max), (LegacyRoot.test, -1)] {
      try root.write(["name": text, "activatedCount": count], to: "\(LegacyRoot.path)/\(text)/container.plist")
    }
    let app = try root.fixture.open()
    try app.adoptLegacyContainers()
    for text in [LegacyRoot.work, LegacyRoot.test] {
      let before = try #require(app.environments.value.first { $0.name == text }).activationCount
      #expect(text == LegacyRoot.work ? before < Int.max / 2 : before == 0)
      try app.activate(id: id(text))
      #expect(app.active.value.activationCount == before &+ 1)
    }
  }

  @Test
  func `the old name of the settings is known`() throws {
    let root = try LegacyRoot(active: LegacyRoot.test, settings: "settings.plist")
    let app = try root.fixture.open()
    try app.adoptLegacyContainers()
    #expect(app.active.value.name == "Test")
  }

  @Test
  func `files that AppContainer moved away at its first start come back, and none is overwritten`() throws {
    let root = try LegacyRoot(active: nil)
    try root.fixture.write("old", to: "\(LegacyRoot.path)/\(LegacyRoot.standard)/Documents/old.txt")
    try root.fixture.write("conflict", to: "\(LegacyRoot.path)/\(LegacyRoot.standard)/Documents/note.txt")
    let app = try root.fixture.open()
    try app.adoptLegacyContainers()
    #expect(app.active.value.isDefault)
    #expect(root.fixture.text("Documents/old.txt") == "old")
    #expect(root.fixture.text("Documents/note.txt") == "live note")
    let aside = try FileManager.default.subpathsOfDirectory(atPath: root.fixture.url(".containers/aside").path)
    #expect(aside.contains { $0.hasSuffix("/note.txt") })
  }

  @Test
  func `an unknown active environment is an error, and nothing is moved`() throws {
    let missing = try LegacyRoot(active: LegacyRoot.work)
    let settings = "\(LegacyRoot.path)/com.p-x9.AppContainer.settings.plist"
    try FileManager.default.removeItem(at: missing.fixture.url(settings))
    let damaged = try LegacyRoot(active: LegacyRoot.work)
    try damaged.fixture.write("garbage", to: settings)
    let deleted = try LegacyRoot(active: "1F0C7A53-0B6F-4E0C-9F8D-2C1C9D7A0009")
    for root in [missing, damaged, deleted] {
      let app = try root.fixture.open()
      let before = try root.fixture.live()
      #expect(throws: AppContainerError.self) { try app.adoptLegacyContainers() }
      #expect(try root.fixture.live() == before)
    }
  }

  @Test
  func `after a switch the environments are refused, and stay`() throws {
    let root = try LegacyRoot(active: LegacyRoot.work)
    let app = try root.fixture.open()
    try app.setExcludedPaths(["Library"])
    try app.activate(app.create(name: "New"))
    #expect(throws: AppContainerError.self) { try app.adoptLegacyContainers() }
    #expect(root.fixture.exists("\(LegacyRoot.path)/\(LegacyRoot.work)/container.plist"))
  }

  @Test
  func `an unreadable record keeps its files, and an interrupted call continues`() throws {
    let root = try LegacyRoot(active: LegacyRoot.standard)
    try root.fixture.write("garbage", to: "\(LegacyRoot.path)/\(LegacyRoot.work)/container.plist")
    // Half of the files have been moved before.
    let app = try root.fixture.open()
    let data = ".containers/\(LegacyRoot.work)/data/Documents"
    try FileManager.default.createDirectory(at: root.fixture.url(data), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: root.fixture.url("\(LegacyRoot.path)/\(LegacyRoot.work)/Documents/note.txt"),
      to: root.fixture.url("\(data)/note.txt"))
    try app.adoptLegacyContainers()
    try app.activate(id: id(LegacyRoot.work))
    #expect(root.fixture.text("Documents/note.txt") == "\(LegacyRoot.work) note")
    #expect(root.fixture.text("Library/Application Support/a/b.db") == "\(LegacyRoot.work) deep")
  }

  @Test
  func `preferences of inactive environments in a sandbox are loaded by the next switch`() throws {
    let root = try LegacyRoot(active: LegacyRoot.standard)
    let layout = ContainerLayout(
      root: root.fixture.root, hidden: "Library/.containers", fixed: ["Documents", "Library"],
      permanent: ["tmp", "Library/Preferences"])
    try root.write(["color": "red"], to: "\(LegacyRoot.path)/\(LegacyRoot.work)/Library/Preferences/group.x.plist")
    let app = try AppContainer(layout, settings: [])
    try app.adoptLegacyContainers()
    let url = layout.settingsURL(LegacyRoot.work).appending(path: "user-defaults.plist")
    let contents = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
    let suites = (contents as? [String: Any])?["suites"] as? [String: [String: String]]
    #expect(suites == ["suite group.x": ["color": "red"]])
  }

  // MARK: Records from an untrusted archive

  @Test(arguments: [HostileValue.deep, .repeatedText, .infiniteDate])
  func `preferences that no program writes are refused, and no file is lost`(_ value: HostileValue) throws {
    let root = try LegacyRoot(active: LegacyRoot.standard)
    let layout = ContainerLayout(
      root: root.fixture.root, hidden: "Library/.containers", fixed: ["Documents", "Library"],
      permanent: ["tmp", "Library/Preferences"])
    let (path, list) = ("Library/Preferences/group.x.plist", value.list(at: ["value"]))
    try list.write(to: root.fixture.url("\(LegacyRoot.path)/\(LegacyRoot.work)/\(path)"))
    let app = try AppContainer(layout, settings: [])
    let error = #expect(throws: AppContainerError.self) { try app.adoptLegacyContainers() }
    guard case .settingsFailed = error else { return unexpected(error) }
    let kept = layout.settingsURL(LegacyRoot.work).deletingLastPathComponent().appending(path: "data/\(path)")
    #expect(try Data(contentsOf: kept) == list)
    try FileManager.default.removeItem(at: kept)
    #expect(try app.adoptLegacyContainers())
    #expect(app.environments.value.map(\.name) == ["DEFAULT", "Work", "Test"])
  }

  @Test
  func `settings that no program writes are an error, and such a record counts as unreadable`() throws {
    let root = try LegacyRoot(active: LegacyRoot.standard)
    let settings = root.fixture.url("\(LegacyRoot.path)/com.p-x9.AppContainer.settings.plist")
    let before = try Data(contentsOf: settings)
    let list = HostileValue.deep.list(at: ["value"], beside: ["currentContainerUUID": LegacyRoot.work])
    try list.write(to: settings)
    let app = try root.fixture.open()
    let error = #expect(throws: AppContainerError.self) { try app.adoptLegacyContainers() }
    guard case .unreadableState(settings, _) = error else { return unexpected(error) }
    try before.write(to: settings)
    let record = HostileValue.deep.list(at: ["value"], beside: ["name": "Evil"])
    try record.write(to: root.fixture.url("\(LegacyRoot.path)/\(LegacyRoot.work)/container.plist"))
    #expect(try app.adoptLegacyContainers())
    #expect(app.environments.value.count == 3 && !app.environments.value.contains { $0.name == "Evil" })
    try app.activate(id: id(LegacyRoot.work))
    #expect(root.fixture.text("Documents/note.txt") == "\(LegacyRoot.work) note")
  }
}
