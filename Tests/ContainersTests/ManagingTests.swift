import AppGroups
import Containers
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Containers")
struct ManagingTests {
  @Test func `the default container takes over what is there, in place`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    #expect(app.activeContainer.isDefault)
    #expect(app.activeContainer.uuid == Container.defaultUUID)
    #expect(app.containers == [app.activeContainer])
    #expect(try fixture.live() == before)
  }

  @Test func `a new container is empty, is not activated, and may have any name`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    for name in ["Work", "Work", "", "../../etc", "a/b", "\u{0}", "👩🏽‍💻", String(repeating: "x", count: 5000)] {
      let container = try app.createNewContainer(name: name, description: "for \(name)")
      #expect(container.name == name)
      #expect(app.activeContainer.isDefault)
      #expect(container.activatedCount == 0 && container.lastActivatedDate == nil)
    }
    #expect(app.containers.count == 9)
    #expect(Set(app.containers.map(\.uuid)).count == 9)
    // Another object, and another launch, read the same.
    #expect(try fixture.open().containers == app.containers)
  }

  @Test func `a switch puts one container away and another in its place, and back`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let first = try fixture.live()
    let work = try app.createNewContainer(name: "Work")
    try app.activate(container: work)
    #expect(try fixture.live().isEmpty)
    #expect(app.activeContainer.uuid == work.uuid)
    #expect(app.activeContainer.activatedCount == 1 && app.activeContainer.lastActivatedDate != nil)
    try Tree.fill(fixture.root, seed: 2)
    let second = try fixture.live()
    try app.activateContainer(uuid: Container.defaultUUID.lowercased())
    #expect(try fixture.live() == first)
    try app.activateContainer(uuid: work.uuid)
    #expect(try fixture.live() == second)
    #expect(app.activeContainer.activatedCount == 2)
  }

  @Test func `to activate the active container does nothing`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let events = app.events.recorded()
    try app.activate(container: app.activeContainer)
    #expect(events.elements.isEmpty)
    #expect(app.activeContainer.activatedCount == 0)
  }

  @Test func `a clone has all that the original has`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let times = try FileManager.default.attributesOfItem(atPath: fixture.url("Documents/a").path)
    nonisolated(unsafe) var count = 0
    let copy = try app.clone(container: app.activeContainer, with: "Copy") { copied in
      count = copied
      return true
    }
    #expect(count == before.count)
    #expect(try Tree.listing(fixture.data(copy)) == before)
    try app.activate(container: copy)
    #expect(try fixture.live() == before)
    let copied = try FileManager.default.attributesOfItem(atPath: fixture.url("Documents/a").path)
    #expect(copied[.modificationDate] as? Date == times[.modificationDate] as? Date)
    // Of one that is not active, just the same.
    let third = try app.cloneContainer(uuid: Container.defaultUUID)
    #expect(third.name == "Default" && third.activatedCount == 0)
    #expect(try Tree.listing(fixture.data(third)) == before)
  }

  @Test func `a clone is given up if its task is cancelled`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = Task {
      try app.clone(container: app.activeContainer) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return true
      }
    }
    let error = await #expect(throws: AppContainerError.self) { try await work.value }
    guard case .cancelled = error else { throw try #require(error) }
    #expect(app.containers.count == 1)
  }

  @Test func `a clone that is given up leaves nothing`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    #expect(throws: AppContainerError.self) { try app.clone(container: app.activeContainer) { $0 < 3 } }
    #expect(app.containers.count == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.url(".containers").path).allSatisfy {
        !$0.hasPrefix(".new")
      })
  }

  @Test func `to delete the active container activates the default one first`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let work = try app.createNewContainer(name: "Work")
    try app.activate(container: work)
    try Tree.fill(fixture.root, seed: 2)
    let events = app.events.recorded()
    try app.delete(container: work)
    #expect(events.elements.count == 2)
    #expect(app.activeContainer.isDefault)
    #expect(app.containers.map(\.uuid) == [Container.defaultUUID])
    #expect(try fixture.live() == before)
    #expect(!fixture.exists(".containers/\(work.uuid)"))
    #expect(throws: AppContainerError.notFound(uuid: work.uuid)) { try app.activate(container: work) }
  }

  @Test func `what a flush hook has captured may take part in switches itself, and goes with its token`() throws {
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

  @Test func `what stays for good does not come out of a container`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.createNewContainer(name: "Work")
    let data = fixture.data(work)
    for name in ["Presence", ".shared"] { try Tree.write("theirs", to: data.appending(path: name)) }
    try Tree.write("theirs", to: data.appending(path: "document"))
    try app.activate(container: work)
    #expect(fixture.text("document") == "theirs")
    #expect(!fixture.exists("Presence"))
    #expect(!fixture.exists(".shared"))
  }

  @Test func `what no archive can hold is refused before it is written`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let long = String(repeating: "\u{1}", count: 200_000)
    let work = try app.createNewContainer(name: "Work", description: long)
    let archive = fixture.directory.url.appending(path: "archive")
    #expect(throws: AppContainerError.self) { try app.export(container: work, to: archive) }
    #expect(!Tree.exists(archive))
  }

  @Test func `to clean a container empties it and keeps its record`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let copy = try app.clone(container: app.activeContainer)
    try app.clean(container: copy)
    #expect(try Tree.listing(fixture.data(copy)).isEmpty)
    try app.clean(container: app.activeContainer)
    #expect(try fixture.live().isEmpty)
    #expect(app.containers.count == 2 && app.activeContainer.name == "Default")
    try app.activate(container: copy)
    try fixture.write("new", to: "new.txt")
    try app.activateContainer(uuid: Container.defaultUUID)
    #expect(try fixture.live().isEmpty)
  }

  @Test func `a reset leaves the default container alone, in memory and on the disk`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let before = try fixture.live()
    let work = try app.createNewContainer(name: "Work")
    try app.createNewContainer(name: "Play")
    try app.setCustomExcludeFiles(["shared.txt"])
    try app.activate(container: work)
    let lists = app.list.recorded()
    try app.reset()
    #expect(app.containers.map(\.uuid) == [Container.defaultUUID])
    #expect(lists.elements.last?.count == 1)
    #expect(app.customExcludeFiles.isEmpty)
    #expect(try fixture.live() == before)
    #expect(throws: AppContainerError.notFound(uuid: work.uuid)) { try app.activate(container: work) }
    #expect(try fixture.open().containers == app.containers)
  }

  @Test func `name and description can be changed, and nothing else`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.createNewContainer(name: "Work", description: "at the office")
    let changed = try app.updateInfo(of: work, name: "Home", description: nil)
    #expect(changed.name == "Home" && changed.description == nil)
    #expect(changed.uuid == work.uuid && changed.createdAt == work.createdAt)
    #expect(app.containers.last == changed)
  }

  @Test func `list and active are signals, and each change is sent once`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let lists = app.list.recorded()
    let actives = app.active.recorded()
    let work = try app.createNewContainer(name: "Work")
    try app.activate(container: work)
    try app.activateContainer(uuid: Container.defaultUUID)
    #expect(lists.elements.map(\.count) == [1, 2, 2, 2])
    #expect(actives.elements.map(\.uuid) == [Container.defaultUUID, work.uuid, Container.defaultUUID])
  }

  @Test func `several objects of one root share what they know`() throws {
    let fixture = try Fixture()
    let first = try fixture.open()
    let second = try AppContainer(home: fixture.url("Documents/.."))
    let work = try second.createNewContainer(name: "Work")
    #expect(first.containers.last == work)
    try first.activate(container: work)
    #expect(second.activeContainer.uuid == work.uuid)
    #expect(first.scope === second.scope)
  }

  @Test func `a group's directory holds containers as any other`() throws {
    let fixture = try Fixture()
    let app = try AppContainer(group: .init(directory: fixture.root))
    try app.activate(container: app.createNewContainer(name: "Work"))
    #expect(try fixture.live().isEmpty)
  }
}
