import AppGroups
import Containers
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Environments", .eachLayout)
struct ManagingTests {
  @Test func `the default environment adopts existing files in place`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    #expect(app.active.value.isDefault)
    #expect(app.active.value.id == Environment.defaultID)
    #expect(app.environments.value == [app.active.value])
    #expect(try fixture.live() == before)
  }

  @Test func `a new environment is empty and inactive, and may have any name`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    for name in ["Work", "Work", "", "../../etc", "a/b", "\u{0}", "👩🏽‍💻", String(repeating: "x", count: 5000)] {
      let environment = try app.create(name: name, description: "for \(name)")
      #expect(environment.name == name)
      #expect(app.active.value.isDefault)
      #expect(environment.activationCount == 0 && environment.lastActivatedAt == nil)
    }
    #expect(app.environments.value.count == 9)
    #expect(Set(app.environments.value.map(\.id)).count == 9)
    // Another object and another launch read the same environments.
    #expect(try fixture.open().environments.value == app.environments.value)
  }

  @Test func `a switch replaces one environment with another, and restores it`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let first = try fixture.live()
    let work = try app.create(name: "Work")
    try app.activate(work)
    #expect(try fixture.live().isEmpty)
    #expect(app.active.value.id == work.id)
    #expect(app.active.value.activationCount == 1 && app.active.value.lastActivatedAt != nil)
    try Tree.fill(fixture.root, seed: 2)
    let second = try fixture.live()
    try app.activate(id: Environment.defaultID)
    #expect(try fixture.live() == first)
    try app.activate(id: work.id)
    #expect(try fixture.live() == second)
    #expect(app.active.value.activationCount == 2)
  }

  @Test func `activating the active environment does nothing`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let events = app.events.recorded()
    try app.activate(app.active.value)
    #expect(events.elements.isEmpty)
    #expect(app.active.value.activationCount == 0)
  }

  @Test func `a clone has the full content of the original`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let times = try FileManager.default.attributesOfItem(atPath: fixture.url("Documents/a").path)
    nonisolated(unsafe) var count = 0
    let copy = try app.clone(app.active.value, name: "Copy") { copied in
      count = copied
      return true
    }
    #expect(count == before.count)
    #expect(try fixture.listing(fixture.data(copy)) == before)
    try app.activate(copy)
    #expect(try fixture.live() == before)
    let copied = try FileManager.default.attributesOfItem(atPath: fixture.url("Documents/a").path)
    #expect(copied[.modificationDate] as? Date == times[.modificationDate] as? Date)
    // The same for an inactive environment.
    let third = try app.clone(id: Environment.defaultID)
    #expect(third.name == "Default" && third.activationCount == 0)
    #expect(try fixture.listing(fixture.data(third)) == before)
  }

  @Test func `cancelling its task aborts a clone`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = Task {
      try app.clone(app.active.value) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return true
      }
    }
    let error = await #expect(throws: AppContainerError.self) { try await work.value }
    guard case .cancelled = error else { throw try #require(error) }
    #expect(app.environments.value.count == 1)
  }

  @Test func `an aborted clone leaves nothing behind`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    #expect(throws: AppContainerError.self) { try app.clone(app.active.value) { $0 < 3 } }
    #expect(app.environments.value.count == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.url(".containers").path).allSatisfy {
        !$0.hasPrefix(".new")
      })
  }

  @Test func `deleting the active environment activates the default one first`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let work = try app.create(name: "Work")
    try app.activate(work)
    try Tree.fill(fixture.root, seed: 2)
    let events = app.events.recorded()
    try app.delete(work)
    #expect(events.elements.count == 2)
    #expect(app.active.value.isDefault)
    #expect(app.environments.value.map(\.id) == [Environment.defaultID])
    #expect(try fixture.live() == before)
    #expect(!fixture.exists(".containers/\(work.id)"))
    #expect(throws: AppContainerError.notFound(id: work.id)) { try app.activate(work) }
  }

  @Test func `the captures of a flush hook may register their own hooks, and are released with its token`() throws {
    let fixture = try Fixture()
    final class Store: Sendable {
      let own: SignalSubscription
      init(_ app: AppContainer) { own = app.onFlush(order: -1) {} }
    }
    let app = try fixture.open()
    let store = Store(app)
    let isAlive = { [weak store] in store != nil }
    let token = app.onFlush { [store] in withExtendedLifetime(store) {} }
    _ = consume store
    #expect(isAlive())
    token.cancel()
    #expect(!isAlive())
  }

  @Test func `permanent entries are never taken from an environment`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let data = fixture.data(work)
    for name in ["Presence", ".shared"] { try Tree.write("theirs", to: data.appending(path: name)) }
    try Tree.write("theirs", to: data.appending(path: "document"))
    try app.activate(work)
    #expect(fixture.text("document") == "theirs")
    #expect(!fixture.exists("Presence"))
    #expect(!fixture.exists(".shared"))
  }

  @Test func `content that no archive supports is rejected before anything is written`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let long = String(repeating: "\u{1}", count: 200_000)
    let work = try app.create(name: "Work", description: long)
    let archive = fixture.directory.url.appending(path: "archive")
    #expect(throws: AppContainerError.self) { try app.export(work, to: archive) }
    #expect(!Tree.exists(archive))
  }

  @Test func `cleaning an environment empties it and keeps its record`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let copy = try app.clone(app.active.value)
    try app.clean(copy)
    #expect(try fixture.listing(fixture.data(copy)).isEmpty)
    try app.clean(app.active.value)
    #expect(try fixture.live().isEmpty)
    #expect(app.environments.value.count == 2 && app.active.value.name == "Default")
    try app.activate(copy)
    try fixture.write("new", to: "new.txt")
    try app.activate(id: Environment.defaultID)
    #expect(try fixture.live().isEmpty)
  }

  @Test func `a reset leaves only the default environment, in memory and on disk`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let work = try app.create(name: "Work")
    try app.create(name: "Play")
    try app.setExcludedPaths(["shared.txt"])
    try app.activate(work)
    let lists = app.environments.recorded()
    try app.reset()
    #expect(app.environments.value.map(\.id) == [Environment.defaultID])
    #expect(lists.elements.last?.count == 1)
    #expect(app.excludedPaths.isEmpty)
    #expect(try fixture.live() == before)
    #expect(throws: AppContainerError.notFound(id: work.id)) { try app.activate(work) }
    #expect(try fixture.open().environments.value == app.environments.value)
  }

  @Test func `only name and description can be changed`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work", description: "at the office")
    let changed = try app.update(work, name: "Home", description: nil)
    #expect(changed.name == "Home" && changed.description == nil)
    #expect(changed.id == work.id && changed.createdAt == work.createdAt)
    #expect(app.environments.value.last == changed)
  }

  @Test func `the list and the active environment are signals that send each change once`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let lists = app.environments.recorded()
    let actives = app.active.recorded()
    let work = try app.create(name: "Work")
    try app.activate(work)
    try app.activate(id: Environment.defaultID)
    #expect(lists.elements.map(\.count) == [1, 2, 2, 2])
    #expect(actives.elements.map(\.id) == [Environment.defaultID, work.id, Environment.defaultID])
  }

  @Test func `several objects of one root share their state`() throws {
    let fixture = try Fixture()
    let first = try fixture.open()
    let second = try fixture.layout.open(fixture.url("Documents/.."))
    let work = try second.create(name: "Work")
    #expect(first.environments.value.last == work)
    try first.activate(work)
    #expect(second.active.value.id == work.id)
    #expect(first.scope === second.scope)
  }

  @Test func `an identifier that names no group is an error before anything is created`() throws {
    let error = #expect(throws: AppContainerError.self) { try AppContainer(groupIdentifier: "a/b") }
    #expect(error?.description.contains("group identifier") == true)
  }

  @Test func `a group's directory can hold environments like any other`() throws {
    let fixture = try Fixture()
    let app = try AppContainer(group: .init(directory: fixture.root))
    try app.activate(app.create(name: "Work"))
    // The system owns the preferences of a group, too.
    #expect(try fixture.live().keys.allSatisfy { "Library/Preferences/app.plist".hasPrefix($0) })
  }
}
