import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Core Data: saves between processes", .patient)
struct SaveExchangeTests {
  private let fixture: SaveFixture

  init() throws {
    fixture = try SaveFixture()
  }

  @Test
  func `a save reaches every other process with its author and its entity, and is not echoed`() async throws {
    let (app, widget) = try await (fixture.peer("app"), fixture.peer("widget"))
    let ours = try SaveMember(fixture, "ours")
    try await app.send("announce-save Item bread,tea - -")
    try await widget.events.wait(for: "merge bread,tea - -")
    try await widget.events.wait(for: "save app Item bread,tea - -")
    try await widget.send("announce-save List - weekly old")
    try await app.events.wait(for: "save widget List - weekly old")
    ours.announce(updated: ["tea"])
    try await app.events.wait(for: "save ours Item - tea -")
    try await widget.events.wait(for: "save ours Item - tea -")
    let saves = try await ours.saves.wait(for: "both saves") { $0.count == 2 }
    #expect(saves.map(\.author) == ["app", "widget"])
    #expect(saves[0]["Item"] == changes(inserted: ["bread", "tea"]))
    #expect(saves[1].entities == ["List": changes(updated: ["weekly"], deleted: ["old"])])
    #expect(try fixture.count() == 3)
    #expect(!app.events.elements.contains { $0.hasPrefix("save app") })
    #expect(ours.failures.elements.isEmpty)
  }

  @Test
  func `only entities in scope are announced and merged, and the scope may change at any time`() async throws {
    let (sender, receiver) = try (
      SaveMember(fixture, "sender", entities: []), SaveMember(fixture, "receiver", entities: ["Item", "List"])
    )
    sender.announce("Item", inserted: ["unshared"])
    #expect(try fixture.count() == 0)
    sender.exchange.entities = ["Item"]
    sender.exchange.announce(["Item": changes(inserted: ["one"]), "Draft": changes(inserted: ["unshared"])])
    sender.announce("Draft", updated: ["unshared"])
    #expect(try fixture.count() == 1)
    sender.exchange.entities = nil
    sender.announce("Draft", inserted: ["ignored"])
    sender.announce("List", inserted: ["two"])
    let saves = try await receiver.saves.wait(for: "two saves") { $0.count == 2 }
    #expect(
      saves.map(\.entities) == [["Item": changes(inserted: ["one"])], ["List": changes(inserted: ["two"])]])
    receiver.exchange.entities = ["Draft"]
    sender.announce("Item", deleted: ["one"])
    sender.announce("Draft", deleted: ["ignored"])
    let last = try await receiver.saves.wait(for: "the third save") { $0.count == 3 }[2]
    #expect(last.entities == ["Draft": changes(deleted: ["ignored"])])
  }

  @Test
  func `saves that wait are merged together and in order, and none is lost`() async throws {
    let receiver = try SaveMember(fixture, "receiver", isHolding: true)
    let sender = try SaveMember(fixture, "sender")
    sender.announce(inserted: ["first"])
    try await receiver.merges.wait(for: "the first merge") { $0.count == 1 }
    sender.announce(updated: ["a"])
    sender.announce(updated: ["b"])
    sender.announce(inserted: ["short"])
    sender.announce(deleted: ["short", "a"])
    // Another consumer of the same log shows that the feeds have read it.
    let witness = try SaveMember(fixture, "witness")
    try await witness.saves.wait(for: "all saves") { $0.count == 5 }
    #expect(receiver.merges.elements.count == 1)
    receiver.complete()
    try await receiver.saves.wait(for: "all saves") { $0.count == 5 }
    let union = SaveUnion(receiver.saves.elements.dropFirst())
    #expect(union.inserted.isEmpty && union.updated == [uri("b")] && union.deleted == [uri("short"), uri("a")])
    #expect(receiver.merges.elements.allSatisfy { !$0.inserted.contains(uri("short")) || !$0.deleted.isEmpty })
    #expect(receiver.saves.elements.map(\.author) == Array(repeating: "sender", count: 5))
  }

  @Test
  func `saves from before the start are merged at the start, and the first subscriber receives them`() async throws {
    let sender = try SaveMember(fixture, "sender")
    sender.announce(inserted: ["a"])
    sender.announce(inserted: ["b"])
    let merges = Recorder<SaveUnion>()
    let late = try SaveExchange(fixture.log(), author: "late") { changes, completion in
      merges.record(changes)
      completion()
    }
    try await merges.wait(for: "the merges") { $0.reduce(into: Set()) { $0.formUnion($1.inserted) }.count == 2 }
    let saves = try await late.incoming.recorded().wait(for: "both saves") { $0.count == 2 }
    #expect(saves.map { $0["Item"] } == [changes(inserted: ["a"]), changes(inserted: ["b"])])
  }

  @Test
  func `a save is acknowledged after its merge, so a process that is killed before merges it again`() async throws {
    let sender = try SaveMember(fixture, "sender")
    let first = try await fixture.peer("app")
    sender.announce(inserted: ["merged"])
    try await first.events.wait(for: "save sender Item merged - -")
    try await first.send("hold-merges")
    sender.announce(inserted: ["lost"])
    try await first.events.wait(for: "merge lost - -")
    try await first.kill()
    let second = try await fixture.peer("app")
    try await second.events.first("the merge after the restart") { $0.hasPrefix("merge") && $0.contains("lost") }
    try await second.events.wait(for: "save sender Item lost - -")
    // A process that ends regularly leaves nothing to merge.
    try await second.send("unshare-saves")
    try await second.send("share-saves \(fixture.fixture.path) app")
    sender.announce(deleted: ["merged"])
    try await second.events.wait(for: "merge - - merged")
    #expect(second.events.elements.count { $0.hasPrefix("save sender Item lost") } == 1)
  }

  @Test
  func `saves of several processes reach every other one, and then all are quiet`() async throws {
    let count = Scale.count(40, torture: 2000)
    let names = ["a", "b", "c"]
    var peers: [PeerProcess] = []
    for name in names { peers.append(try await fixture.peer(name)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (name, peer) in zip(names, peers) {
        group.addTask { try await peer.send("announce-saves Item \(count) \(name)") }
      }
      try await group.waitForAll()
    }
    for (name, peer) in zip(names, peers) {
      for other in names where other != name {
        let expected = (1...count).map { "save \(other) Item \(other)\($0) - -" }
        let events = try await peer.events.wait(for: "the saves of \(other)") { events in
          events.count { $0.hasPrefix("save \(other)") } >= count
        }
        #expect(events.filter { $0.hasPrefix("save \(other)") } == expected)
      }
      #expect(!peer.events.elements.contains { $0.hasPrefix("save \(name)") || $0.hasPrefix("failure") })
    }
    #expect(try fixture.count() <= count * names.count)
  }
}
