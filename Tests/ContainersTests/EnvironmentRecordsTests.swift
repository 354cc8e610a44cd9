@testable import Containers
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Records of environments")
struct EnvironmentRecordsTests {
  private let folder: TemporaryDirectory
  private let records: EnvironmentRecords
  private let id = UUID()

  init() throws {
    folder = try TemporaryDirectory()
    records = EnvironmentRecords(in: folder.url)
  }

  private var url: URL { folder.file("\(id.uuidString)/info.json") }

  private func write(_ name: String) throws {
    _ = try folder.makeFolder(id.uuidString)
    try DurableFile.write(Data(name.utf8), to: url, durability: .process)
  }

  /// Returns the name in the record, and whether it was read from the file.
  private func name(isTrusting: Bool = false) throws -> (name: String, isRead: Bool) {
    var isRead = false
    let info = try records.info(id, isTrusting: isTrusting) { () throws(AppContainerError) in
      isRead = true
      let name = FileManager.default.contents(atPath: url.path).map { String(decoding: $0, as: UTF8.self) }
      return EnvironmentInfo(uuid: id.uuidString, name: name ?? "", createdAt: Date())
    }
    return (info.name, isRead)
  }

  private func newRoot() throws -> ContainerLayout {
    ContainerLayout(root: try folder.makeFolder("root"))
  }

  @Test func `are read again only when their files are replaced`() throws {
    try write("one")
    #expect(try name() == ("one", true))
    #expect(try name() == ("one", false))
    try write("two")
    #expect(try name() == ("two", true))
    records.forget(id)
    #expect(try name() == ("two", true))
  }

  @Test func `that could have changed without another stamp are read again after another process's change`() throws {
    try write("one")
    _ = try name()
    records.distrust()
    #expect(try name() == ("one", true))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: url.path)
    #expect(try name() == ("one", true))
    records.distrust()
    #expect(try name() == ("one", false))
  }

  @Test func `are relied on until another process may have replaced them, or one is looked at`() throws {
    try write("one")
    #expect(try name(isTrusting: true) == ("one", true))
    try write("two")
    #expect(try name(isTrusting: true) == ("one", false))
    records.distrust()
    #expect(try name(isTrusting: true) == ("two", true))
    try write("three")
    #expect(try name() == ("three", true))
    #expect(try name(isTrusting: true) == ("three", false))
  }

  @Test func `are in directories with the names of their environments`() {
    for id in (0..<100).map({ _ in UUID() }) + [Environment.defaultID] {
      #expect(ContainerLayout.name(id) == id.uuidString)
      #expect(ContainerLayout.id(id.uuidString) == id)
      #expect(ContainerLayout.id(id.uuidString.lowercased()) == (id == Environment.defaultID ? id : nil))
    }
  }

  @Test func `may be others after an update, and after several changes`() {
    var (old, new) = (ContainerState(), ContainerState())
    old.revision = 4
    #expect(!old.mayHaveOtherRecords(than: old))
    new.revision = 5
    #expect(new.mayHaveOtherRecords(than: old), "an update changes only the revision")
    new.switches = 1
    #expect(!new.mayHaveOtherRecords(than: old), "a switch replaces no record")
    new.revision = 6
    #expect(new.mayHaveOtherRecords(than: old), "one of two changes may be an update")
    #expect(old.mayHaveOtherRecords(than: new), "the state was replaced with an older one")
  }

  @Test(arguments: 0..<2)
  func `match the disk after every change by either of two engines`(seed: UInt64) throws {
    let layout = try newRoot()
    // As two processes.
    let engines = try (0..<2).map { _ in try ContainerEngine(layout, settings: [], onStep: { _ in }) }
    try engines[0].exclusively("") { access in
      for number in 0..<50 { _ = try access.make(name: "\(number)", description: nil) }
    }
    var dice = Chance(seed: seed)
    for step in 0..<40 {
      let engine = engines[Int.random(in: 0..<2, using: &dice)]
      try engine.exclusively("Changing") { access in
        let id = access.state.ids.randomElement(using: &dice) ?? Environment.defaultID
        switch Int.random(in: 0..<8, using: &dice) {
        case 0: _ = try access.make(name: "new \(step)", description: nil)
        case 1: _ = try access.update(id, name: "other \(step)", description: nil)
        case 2 where id != Environment.defaultID: try access.delete(id)
        case 3: try access.clean(id)
        default: try access.activate(id)
        }
      }
      let disk = ContainerStore(layout: layout)
      let state = try #require(try disk.state())
      #expect(engine.environments.value == state.ids.map { disk.environment($0, in: state) }, "step \(step)")
      #expect(engine.active.value == disk.environment(state.active, in: state), "step \(step)")
    }
  }

  @Test func `that another process replaces are read although the others are kept`() throws {
    let layout = try newRoot()
    // The first one does not follow by itself.
    let unwatched = Emitter<PathChange, Never>()
    let engine = try ContainerEngine(layout, settings: [], onStep: { _ in }, watch: { _ in unwatched })
    let other = try ContainerEngine(layout, settings: [], onStep: { _ in })
    let ids = try engine.exclusively("") { access in
      try (0..<100).map { try access.make(name: "\($0)", description: nil).id }
    }
    // So often that each has been read, and none again.
    for id in ids.prefix(6) { try engine.exclusively("") { try $0.activate(id) } }
    // So far apart that one change checks at most one of them without need.
    let updated = [10, 50, 90].map { ids[$0] }
    for id in updated { _ = try other.exclusively("") { try $0.update(id, name: "new", description: nil) } }
    engine.follow()
    #expect(engine.environments.value.filter { $0.name == "new" }.map(\.id) == updated)
  }

  @Test func `that are missing or unreadable are not kept`() throws {
    let error = AppContainerError.unreadableState(url, reason: "damaged")
    for _ in 0..<2 {
      #expect(throws: error) {
        try records.info(id, isTrusting: true) { () throws(AppContainerError) in throw error }
      }
    }
    try write("one")
    #expect(try name() == ("one", true))
  }
}
