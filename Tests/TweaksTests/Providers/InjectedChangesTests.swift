import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import AppGroups
@testable import Tweaks

@Suite("Tweak files with injected changes", .patient)
struct InjectedChangesTests {
  private let fixture: Fixture
  private let changes = Emitter<PathChange, Never>()

  init() throws {
    fixture = try Fixture()
  }

  private func write(_ value: Int) throws {
    try fixture.write(#"{"f": {"v": {"Value": \#(value)}, "other": {"Value": 0}}}"#)
  }

  private func provider(isOptional: Bool = false) throws -> FileTweakProvider {
    let url = fixture.directory.file("tweaks.json")
    return try FileTweakProvider(url: url, isLive: true, isOptional: isOptional) {
      [changes] format throws(AppGroupsFileError) in
      AppGroupsFile(
        try SharedFileEngine(
          location: FileLocation(anywhere: url), initialValue: TweakFile(), format: format,
          options: .init(maximumSize: 1 << 20), isCreating: false, changes: changes))
    }
  }

  private func change() {
    changes.send(PathChange(written: "tweaks.json"))
  }

  @Test
  func `a file is read after each change, and unchanged tweaks are not sent`() throws {
    try write(1)
    let manager = TweakManager(providers: [try provider()])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    let others = manager.signal(feature: "f", variable: "other", as: Int.self).recorded()
    try write(2)
    #expect(values.elements == [1], "no change has been sent")
    change()
    for value in 3...5 { try write(value) }
    change()
    change()
    #expect(values.elements == [1, 2, 5])
    #expect(others.elements == [0])
  }

  @Test
  func `an undecodable file keeps its tweaks until the next change`() async throws {
    try write(1)
    let provider = try provider()
    let failures = provider.failures.recorded()
    try fixture.write("{")
    change()
    let failure = try await failures.first("the place of the mistake") { _ in true }
    guard case .invalidFile(provider.url, line: 1, _, _) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(try provider.tweak(feature: "f", variable: "v")?.value == 1)
    try write(2)
    change()
    #expect(try provider.tweak(feature: "f", variable: "v")?.value == 2)
  }

  @Test
  func `an optional file has no tweaks while it is missing`() async throws {
    let provider = try provider(isOptional: true)
    let updates = provider.table.changes.recorded()
    #expect(provider.table.value.ids.isEmpty)
    try write(1)
    change()
    // On a busy machine, another thread may just look for the missing file, and then reads it.
    try await updates.wait(for: "the file") { $0.count == 1 }
    #expect(provider.table.value.ids.count == 2)
    try FileManager.default.removeItem(at: provider.url)
    change()
    try await updates.wait(for: "the loss") { $0.count == 2 }
    #expect(provider.table.value.ids.isEmpty)
  }

  @Test
  func `a provider subscribes to changes as long as it lives`() async throws {
    try write(1)
    var local: FileTweakProvider? = try provider()
    #expect(await changes.subscriptions().map(\.description) == ["sink"])
    withExtendedLifetime(local) {}
    local = nil
    #expect(await changes.subscriptions().isEmpty)
  }
}
