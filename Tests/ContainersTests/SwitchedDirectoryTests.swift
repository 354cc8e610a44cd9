import AppGroups
import Foundation
import Stores
import TestSupport
import Testing

@testable import Containers

/// Values in a root that an `AppContainer` switches, opened in a way that would not follow switches.
@Suite("Opening without a scope in a switched directory", .eachLayout, .patient)
struct SwitchedDirectoryTests {
  private let fixture: Fixture
  private let app: AppContainer
  private let group: AppGroupsContainer

  init() throws {
    fixture = try Fixture(filled: false)
    app = try fixture.open()
    group = try AppGroupsContainer(directory: fixture.root)
  }

  private func refusal(of url: URL) -> AppGroupsError { .switchedDirectory(url, root: app.home) }

  @Test func `a file, a suite and a log are rejected with an error that names the scope`() throws {
    let file = app.home.appending(path: "Files/draft.json")
    #expect(throws: AppGroupsFileError.unusableContainer(refusal(of: file))) {
      try AppGroupsFile(name: "draft.json", initialValue: "", container: group)
    }
    #expect(throws: AppGroupsFileError.unusableContainer(refusal(of: file))) {
      try AppGroupsSuite(name: "draft.json", container: group)
    }
    #expect(throws: AppGroupsFileError.unusableContainer(refusal(of: file))) {
      try AppGroupsFile(url: file, initialValue: "")
    }
    #expect(!fixture.exists("Files"))
    let log = app.home.appending(path: "Logs/events", directoryHint: .isDirectory)
    #expect(throws: AppGroupsLogError.unusableContainer(refusal(of: log))) {
      try AppGroupsLog<String>(name: "events", container: group)
    }
    #expect(!fixture.exists("Logs"))
    #expect("\(refusal(of: file))".contains("scope:"))
  }

  @Test func `a database is rejected, and nothing is created`() throws {
    let url = app.home.appending(path: "list.sqlite", directoryHint: .notDirectory)
    #expect(throws: DatabaseError.switchedDirectory(path: url.path, root: app.home.path)) {
      try Database(.file(url))
    }
    #expect(!fixture.exists("list.sqlite"))
    let database = try Database(.file(url), scope: app.scope)
    try database.close()
  }

  @Test func `a link into the root is rejected like the root`() throws {
    let link = fixture.directory.url.appending(path: "link", directoryHint: .isDirectory)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.root)
    #expect(throws: AppGroupsFileError.self) {
      try AppGroupsFile(name: "draft.json", initialValue: "", container: AppGroupsContainer(directory: link))
    }
    #expect(throws: AppGroupsFileError.self) {
      try AppGroupsFile(url: link.appending(path: "draft.json"), initialValue: "")
    }
  }

  @Test func `excluded files and files outside the root open as before`() throws {
    try app.setExcludedPaths(["Files", "Shared"])
    let file = try AppGroupsFile(name: "draft.json", initialValue: "", container: group)
    try file.write("everybody's")
    try app.activate(app.create(name: "Work"))
    #expect(file.value == "everybody's")
    let shared = try AppGroupsContainer(directory: fixture.url("Shared"))
    #expect(try AppGroupsFile(name: "n.json", initialValue: 1, container: shared).value == 1)
    let outside = try AppGroupsContainer(directory: fixture.directory.url)
    #expect(try AppGroupsFile(name: "n.json", initialValue: 1, container: outside).value == 1)
  }

  @Test func `a presence opens without the scope, because it is never switched`() throws {
    _ = try AppGroupsPresence<String>(name: "here", container: group)
  }

  @Test func `the records of a root are found with every layout`() throws {
    let root = fixture.directory.url.appending(path: "sandbox", directoryHint: .isDirectory)
    let layout = ContainerLayout(root: root, hidden: "Library/.containers", fixed: ["Library"])
    try FileManager.default.createDirectory(at: layout.root, withIntermediateDirectories: true)
    _ = try AppContainer(layout, settings: [])
    let draft = layout.root.appending(path: "Library/Application Support/a.json", directoryHint: .notDirectory)
    #expect(try SwitchedRoots.root(switching: draft) != nil)
    let preferences = layout.root.appending(path: "Library/Preferences/a.plist", directoryHint: .notDirectory)
    #expect(try SwitchedRoots.root(switching: preferences) == nil)
  }

  @Test func `a switch of a group renames neither its preferences nor the folder that contains them`() throws {
    let group = try AppGroupsContainer(directory: fixture.directory.url.appending(path: "group"))
    func url(_ path: String) -> URL { group.containerURL.appending(path: path) }
    try Tree.write("theme", to: url("Library/Preferences/group.plist"))
    try Tree.write("first", to: url("Library/Caches/image"))
    func number(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: url(path).path)[.systemFileNumber] as? Int
    }
    let folders = ["Library", "Library/Preferences", "Library/Preferences/group.plist"]
    let numbers = try folders.map(number)
    let app = try AppContainer(group: group)
    let work = try app.create(name: "Work")
    for id in [work.id, Environment.defaultID] {
      try app.activate(id: id)
      #expect(try folders.map(number) == numbers)
      #expect(Tree.exists(url("Library/Caches/image")) == (id == Environment.defaultID))
    }
  }
}
