import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("A watched file of tweaks")
struct LocalTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func text(_ value: String) -> String { #"{"f": {"v": {"Value": \#(value)}, "other": {"Value": 0}}}"# }

  @Test(.patient)
  func `changes are observed, errors are reported with their position, and the last good tweaks stand`() async throws {
    let url = try fixture.write(text("1"))
    let local = try FileTweakProvider(url: url)
    let manager = TweakManager(providers: [local])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    let others = manager.signal(feature: "f", variable: "other", as: Int.self).recorded()
    let failures = manager.failures.recorded()
    try fixture.write(text("2"))
    try await values.wait(for: 2)
    try fixture.write("{\n  \"f\": {,")
    let failure = try await failures.first("an error") { _ in true }
    guard case .invalidFile(let file, 2, 9, _) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(file == url)
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 2)
    try fixture.write(text("3"))
    try await values.wait(for: 3)
    #expect(values.elements == [1, 2, 3])
    #expect(others.elements == [0])
  }

  @Test(.patient)
  func `a removed file leaves the last tweaks, or none if it is optional`() async throws {
    let url = try fixture.write(text("1"))
    let kept = TweakManager(providers: [try FileTweakProvider(url: url)])
    let optional = TweakManager(providers: [try FileTweakProvider(url: url, isOptional: true)])
    let keptValues = kept.signal(feature: "f", variable: "v", as: Int.self).recorded()
    let values = optional.signal(feature: "f", variable: "v", as: Int.self).recorded()
    try FileManager.default.removeItem(at: url)
    _ = try await values.wait(for: "none") { $0 == [1, nil] }
    try fixture.write(text("2"))
    _ = try await values.wait(for: "the new one") { $0 == [1, nil, 2] }
    _ = try await keptValues.wait(for: "the new one") { $0.last == 2 }
    #expect(keptValues.elements == [1, 2])
  }

  @Test(.patient)
  func `an optional file may appear later`() async throws {
    let local = try FileTweakProvider(url: fixture.directory.file("tweaks.json"), isOptional: true)
    let manager = TweakManager(providers: [local])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    #expect(values.elements == [nil])
    try fixture.write(text("1"))
    _ = try await values.wait(for: "the file") { $0 == [nil, 1] }
  }

  @Test(.patient)
  func `a malformed optional file has no tweaks at the start, is reported, and is followed`() async throws {
    let url = try fixture.write("{\n  \"f\": {,")
    #expect(throws: TweakError.self) { try FileTweakProvider(url: url) }
    let local = try FileTweakProvider(url: url, isOptional: true)
    let manager = TweakManager(providers: [local, EphemeralTweakProvider(["f": ["v": 9]])])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    #expect(values.elements == [9])
    #expect(local.table.value.ids.isEmpty)
    #expect(local.status.value.failure != nil)
    for failures in [local.failures.recorded(), manager.failures.recorded()] {
      guard case .invalidFile(url, 2, 9, _) = failures.elements.first, failures.elements.count == 1 else {
        Issue.record("\(failures.elements)")
        continue
      }
    }
    try fixture.write(text("1"))
    _ = try await values.wait(for: "the repaired file") { $0 == [9, 1] }
    #expect(local.failures.recorded().elements.isEmpty)
    try fixture.write("[]")
    _ = try await local.status.firstValue("the damage") { $0.failure != nil }
    #expect(values.elements == [9, 1])
  }

  @Test
  func `other unusable optional files are reported, too, also if they are not followed`() throws {
    let folder = fixture.directory.file("folder.json")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let malformed = try fixture.write("{", to: "malformed.json")
    let binary = fixture.directory.file("binary.json")
    try Data([0x7B, 0xFF]).write(to: binary)
    for isLive in [false, true] {
      #expect(throws: TweakError.self, "a folder is no typing error") {
        try FileTweakProvider(url: folder, isLive: isLive, isOptional: true)
      }
      for url in [binary, malformed] {
        let local = try FileTweakProvider(url: url, isLive: isLive, isOptional: true)
        #expect(local.tweaks.isEmpty)
        #expect(local.failures.recorded().elements.count == 1, "\(url.lastPathComponent)")
      }
      let missing = fixture.directory.file("missing.json")
      let local = try FileTweakProvider(url: missing, isLive: isLive, isOptional: true)
      #expect(local.failures.recorded().elements.isEmpty)
    }
  }

  @Test(.patient)
  func `a symbolic link that changes its target is followed, as in a mounted configuration`() async throws {
    let folder = fixture.directory.url
    for (name, value) in [("one", "1"), ("two", "2")] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
      try await DurableFile.write(Data(text(value).utf8), to: folder.appending(path: "\(name)/tweaks.json"))
    }
    let link = folder.appending(path: "..data").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "one")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "tweaks.json").path, withDestinationPath: "..data/tweaks.json"
    )
    let manager = TweakManager(providers: [try FileTweakProvider(url: fixture.directory.file("tweaks.json"))])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    try FileManager.default.createSymbolicLink(atPath: link + ".new", withDestinationPath: "two")
    rename(link + ".new", link)
    _ = try await values.wait(for: "the other file") { $0 == [1, 2] }
  }

  @Test
  func `an unwatched file provides its tweaks`() throws {
    let local = try fixture.local(Example.json)
    #expect(local.tweaks.count == 9)
    #expect(local.table.value.ids.count == 9)
    #expect(local.name == "FileTweakProvider(tweaks.json)")
  }

  @Test
  func `numbers have the type of their notation, and unknown properties are ignored`() throws {
    let local = try fixture.local(
      #"""
      {"f": {"int": {"Value": 42}, "double": {"Value": 42.0}, "exponent": {"Value": 1e2},
       "wide": {"Value": 3, "PreserveFloat": true}, "text": {"Value": "\u00e9 \ud83e\uddf5 \"\\\/\n", "Colour": [1, {}]}}}
      """#
    )
    func value(_ name: String) -> TweakValue? { try? local.tweak(feature: "f", variable: name)?.value }
    #expect(value("int") == 42)
    #expect(value("double") == 42.0)
    #expect(value("exponent") == 100.0)
    #expect(value("wide") == 3.0)
    #expect(value("text") == "é 🧵 \"\\/\n")
  }
}
