import AppGroups
import Containers
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Flags in a root that is switched", .patient)
struct FlagsInScopeTests {
  private static let key = TweakKey("general", "environment", default: "none")

  private let root: TemporaryDirectory
  private let app: AppContainer
  private let ids: [UUID]

  init() throws {
    root = try TemporaryDirectory()
    let app = try AppContainer(home: root.url)
    self.app = app
    ids = try [AppContainer.Environment.defaultID] + ["Work", "Play"].map { try app.create(name: $0).id }
  }

  private struct Moment: Equatable, Sendable {
    let flag, file, active: String
    var isMixed: Bool { flag != file || file != active }
  }

  @Test func `flags from a file and from a shared value change together with the active environment`() throws {
    let names = try AppGroupsFile(name: "name.json", initialValue: "none", scope: app.scope)
    for id in ids.reversed() {
      try app.activate(id: id)
      try names.write(id.uuidString)
      let flags = #"{"general":{"environment":{"Value":"\#(id.uuidString)"}}}"#
      try Data(flags.utf8).write(to: app.home.appending(path: "Files/flags.json"))
    }
    let key = Self.key
    let file = TweakManager(providers: [try FileTweakProvider(name: "flags.json", scope: app.scope)])
    let shared = TweakManager(providers: [
      SharedTweakProvider(names) { [Tweak(feature: "general", variable: "environment", value: .string($0))] }
    ])
    let moments = Property.derived(file.property(for: key), shared.property(for: key), app.active) {
      Moment(flag: $0, file: $1, active: $2.id.uuidString)
    }.recorded()
    for round in 1...12 { try app.activate(id: ids[round % 3]) }
    #expect(moments.elements.filter(\.isMixed) == [])
    #expect(moments.elements.count == 13)
  }

  @Test func `a flag from a suite changes together with files and the active environment`() throws {
    let manager = TweakManager(providers: [
      try SuiteTweakProvider(suite: AppGroupsSuite(name: "flags.json", scope: app.scope))
    ])
    let file = try AppGroupsFile(name: "name.json", initialValue: "none", scope: app.scope)
    for id in ids.reversed() {
      try app.activate(id: id)
      try file.write(id.uuidString)
      try manager.set(.string(id.uuidString), feature: "general", variable: "environment")
    }
    let flag = manager.property(for: Self.key)
    let moments = Property.derived(file.property, flag, app.active) {
      Moment(flag: $1, file: $0, active: $2.id.uuidString)
    }.recorded()
    for round in 1...12 {
      try app.activate(id: ids[round % 3])
      #expect(manager[Self.key] == ids[round % 3].uuidString)
    }
    #expect(moments.elements.filter(\.isMixed) == [])
    #expect(moments.elements.count == 13)
  }
}
