import AppGroups
import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Core Data: names, losses and notifications", .seeded, .patient)
struct SaveLossTests {
  private let fixture: SaveFixture

  init() throws {
    fixture = try SaveFixture()
  }

  @Test
  func `two shares of one author are an error that names the process`() async throws {
    let peer = try await fixture.peer("app")
    #expect { try SaveMember(fixture, "app") } throws: { error in
      (error as? AppGroupsLogError)?.isUse(of: "app", by: peer.identifier) == true
    }
    var ours: SaveMember? = try SaveMember(fixture, "ours")
    #expect { try SaveMember(fixture, "ours") } throws: { error in
      (error as? AppGroupsLogError)?.isUse(of: "ours", by: ProcessInfo.processInfo.processIdentifier) == true
    }
    withExtendedLifetime(ours) {}
    ours = nil
    _ = try SaveMember(fixture, "ours")
    try await peer.kill()
    _ = try SaveMember(fixture, "app")
  }

  @Test
  func `a save that cannot be read counts as a change of everything`() async throws {
    let receiver = try SaveMember(fixture, "receiver", entities: ["Item"])
    try AppGroupsLog<String>(name: "saves", container: fixture.fixture.container).append("no save")
    let save = try await receiver.saves.wait(for: "a change of everything") { !$0.isEmpty }[0]
    #expect(save.isEverything && save.author == nil && save.entities.isEmpty)
    #expect(receiver.merges.elements.first?.isEverything == true)
    try await receiver.failures.first("the error") { if case .undecodable = $0 { true } else { false } }
  }

  @Test
  func `a process that was away for longer than the log is kept receives a change of everything`() async throws {
    let limits = LogLimits(segmentSize: 4096, totalSize: 20_480)
    var absent: SaveMember? = try SaveMember(fixture, "absent", limits: limits)
    let sender = try SaveMember(fixture, "sender", limits: limits)
    sender.announce(inserted: ["first"])
    try await absent?.saves.wait(for: "the first save") { !$0.isEmpty }
    absent = nil
    for number in 1...400 { sender.announce(inserted: ["object \(number) with a long name"]) }
    try fixture.log(limits).trim()
    let back = try SaveMember(fixture, "absent", limits: limits)
    try await back.saves.first("a change of everything") { $0.isEverything }
    try await back.saves.first("the last save") { $0["Item"].inserted == [uri("object 400 with a long name")] }
    try await back.failures.first("the reason") { if case .snapshotNeeded = $0 { true } else { false } }
  }

  @Test
  func `a save that is too large for an event is announced as a change of everything`() async throws {
    let (sender, receiver) = try (SaveMember(fixture, "sender"), SaveMember(fixture, "receiver"))
    sender.announce(inserted: [String(repeating: "x", count: 17 << 20)])
    let save = try await receiver.saves.wait(for: "a change of everything") { !$0.isEmpty }[0]
    #expect(save.isEverything && save.author == "sender")
    #expect(sender.failures.elements.isEmpty)
  }

  @Test
  func `a save that cannot be announced is made up for when the log can be written again`() async throws {
    let peer = try await fixture.peer("app")
    let sender = try SaveMember(fixture, "sender")
    try await fixture.fixture.container.suspend()
    sender.announce(inserted: ["unannounced"])
    try await sender.failures.first("the error") { if case .suspended = $0 { true } else { false } }
    try await fixture.fixture.container.resume()
    try await peer.events.wait(for: "merge - - - everything")
    sender.announce(inserted: ["announced"])
    try await peer.events.wait(for: "save sender Item announced - -")
  }

  @Test
  func `only the named recipients receive a save`() async throws {
    let (app, widget) = try (SaveMember(fixture, "app"), SaveMember(fixture, "widget"))
    let sender = try SaveMember(fixture, "sender", recipients: ["app"])
    sender.announce(inserted: ["private"])
    try await app.saves.wait(for: "the save") { !$0.isEmpty }
    app.announce(inserted: ["public"])
    let saves = try await widget.saves.wait(for: "the other save") { !$0.isEmpty }
    #expect(saves.map(\.author) == ["app"])
  }

  @Test
  func `the notification CoreDataShareDidSave follows each merge, with its save`() async throws {
    let (sender, receiver) = try (SaveMember(fixture, "sender"), SaveMember(fixture, "receiver"))
    let center = NotificationCenter()
    let posted = center.signal(for: SaveExchange.didSaveNotification) { $0.userInfo?["save"] as? CoreDataSave }
      .recorded()
    let posting = receiver.exchange.postNotifications(to: center)
    sender.announce(inserted: ["a"])
    let save = try await posted.wait(for: "a notification") { !$0.isEmpty }[0]
    #expect(save?.author == "sender" && save?["Item"] == changes(inserted: ["a"]))
    #expect(receiver.merges.elements.count == 1)
    posting.cancel()
    sender.announce(inserted: ["b"])
    try await receiver.saves.wait(for: "another save") { $0.count == 2 }
    #expect(posted.elements.count == 1)
  }

  @Test
  func `a union of saves leaves a context as the saves one by one leave it`() {
    var chance = Chance()
    for _ in 0..<Scale.count(300, torture: 30_000) {
      var (existing, next) = (Set((0..<5).map { "\($0)" }), 5)
      var context = existing
      var saves: [CoreDataSave] = []
      for _ in 0...chance.number(below: 6) {
        var (inserted, updated, deleted) = (Set<String>(), Set<String>(), Set<String>())
        for name in existing.sorted() {
          switch chance.number(below: 4) {
          case 0: updated.insert(name)
          case 1: deleted.insert(name)
          default: break
          }
        }
        for _ in 0..<chance.number(below: 3) {
          inserted.insert("\(next)")
          next += 1
        }
        existing = existing.union(inserted).subtracting(deleted)
        let change = changes(inserted: inserted, updated: updated, deleted: deleted)
        saves.append(CoreDataSave(author: "a", entities: ["Item": change]))
      }
      let union = SaveUnion(saves)
      // A context may have fetched any object between two saves.
      for save in saves where chance.once(in: 2) {
        context.formUnion(save["Item"].inserted.map(\.lastPathComponent))
      }
      let merged = Set(context.map(uri)).union(union.inserted).subtracting(union.deleted)
      #expect(merged == Set(existing.map(uri)))
      let touched = saves.reduce(into: Set<URL>()) { $0.formUnion($1["Item"].inserted.union($1["Item"].updated)) }
      #expect(union.inserted.union(union.updated) == touched.subtracting(union.deleted))
      #expect(union.inserted.isDisjoint(with: union.updated))
    }
  }
}
