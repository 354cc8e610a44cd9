import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

private struct First: Codable, Sendable { var isDark: Bool }
private struct Second: Codable, Sendable { var theme: String }
private struct Third: Codable, Sendable, Equatable {
  var theme: String
  var size: Int
}

private struct TooOdd: Error, CustomStringConvertible {
  let description = "too odd a theme"
}

private let second = FileVersions(First.self)
  .migrating(to: Second.self) { Second(theme: $0.isDark ? "dark" : "light") }
private let third = second.migrating(to: Third.self) { old in
  if old.theme == "odd" { throw TooOdd() }
  return Third(theme: old.theme, size: 12)
}

@Suite("Versions of a value")
struct VersionTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func open(
    _ versions: FileVersions<Third> = third, coding: FileCoding = .json
  ) throws -> AppGroupsFile<Third> {
    try AppGroupsFile(
      name: "settings", initialValue: Third(theme: "initial", size: 0), container: fixture.container,
      format: .versioned(versions, coding: coding))
  }

  private func put(_ text: String) throws {
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: true)
    try fixture.overwrite("settings", with: text)
  }

  @Test
  func `the version is stored beside the value, readable to people and programs`() throws {
    let file = try open()
    let text = try fixture.text(of: file.url)
    #expect(text.filter { !$0.isWhitespace } == #"{"value":{"size":0,"theme":"initial"},"version":3}"#)
    #expect(try file.read() == file.value)
  }

  @Test(arguments: [
    #"{"isDark": true}"#, #"{"version": 1, "value": {"isDark": true}}"#, #"{"value":{"theme":"dark"},"version":2}"#,
    #"{"version": 3, "value": {"theme": "dark", "size": 12}}"#, #"{"version": 1.0, "value": {"isDark": true, "x": 1}}"#,
  ])
  func `content of every version is read as the current one, and not rewritten`(content: String) async throws {
    try put(content)
    let file = try open()
    #expect(file.value == Third(theme: "dark", size: 12))
    #expect(file.status.value == .current)
    #expect(try file.read() == Third(theme: "dark", size: 12))
    #expect(try fixture.text(of: file.url) == content, "reading never writes")

    // An object that is already open follows, too.
    try put(#"{"value":{"theme":"other"},"version":2}"#)
    try await file.firstValue { $0 == Third(theme: "other", size: 12) }
  }

  @Test
  func `the next update writes the current version, starting from the migrated value`() throws {
    try put(#"{"isDark": true}"#)
    let file = try open()
    try file.update { settings in
      #expect(settings == Third(theme: "dark", size: 12))
      settings.size = 14
    }
    #expect(try fixture.text(of: file.url).contains(#""version" : 3"#))
    #expect(try file.read() == Third(theme: "dark", size: 14))
  }

  @Test
  func `every migration step runs once, in order`() throws {
    let steps = Recorder<Int>()
    let versions = (1..<50).reduce(FileVersions(Int.self)) { chain, number in
      chain.migrating(to: Int.self) { value in
        steps.record(number)
        return value * 2 % 1_000_003
      }
    }
    #expect(versions.current == 50)
    #expect(versions.oldest == 1)
    let format = FileFormat<Int>.versioned(versions)
    let value = try format.decode(Data(#"{"version": 40, "value": 3}"#.utf8))
    #expect(value == 3 * 512 * 2 % 1_000_003)
    #expect(steps.elements == Array(40..<50))
  }

  @Test
  func `a newer version is reported with its number, and not overwritten by an update`() async throws {
    let file = try open()
    try await file.write(Third(theme: "mine", size: 1))
    let failures = file.failures.recorded()
    let future = #"{"version": 4, "value": {"palette": ["red"]}}"#
    try put(future)
    let newer = AppGroupsFileError.newerVersion(file.url, found: 4, supported: 3)
    try await failures.first("the typed failure") { $0 == newer }
    #expect(file.status.value.failure == newer)
    #expect(file.value == Third(theme: "mine", size: 1), "the last good value stands")
    #expect(throws: newer) { try file.read() }
    #expect(throws: newer) { try file.update { $0.size = 2 } }
    #expect(try fixture.text(of: file.url) == future)
    #expect(newer.description.contains("version 4") && newer.description.contains(file.url.path))

    let late = try open()
    #expect(late.value == Third(theme: "initial", size: 0))
    #expect(late.status.value.failure == newer)
    try await file.update(overwriting: true) { $0.size = 3 }
    #expect(try file.read() == Third(theme: "mine", size: 3))
    #expect(file.status.value == .current)
    try await late.firstValue { $0 == Third(theme: "mine", size: 3) }
    try await late.status.firstValue { $0 == .current }
  }

  @Test
  func `a newer version is left alone even if it could be decoded`() throws {
    let future = #"{"version": 4, "value": {"theme": "future", "size": 1, "more": true}}"#
    try put(future)
    let file = try open()
    #expect(file.value.theme == "initial")
    #expect(throws: AppGroupsFileError.newerVersion(file.url, found: 4, supported: 3)) { try file.update { _ in } }
    #expect(try fixture.text(of: file.url) == future)
  }

  @Test
  func `an unsupported old version is reported with its number`() throws {
    let recent = FileVersions(Second.self, startingAt: 2)
      .migrating(to: Third.self) { Third(theme: $0.theme, size: 12) }
    for old in [#"{"version": 1, "value": {"isDark": true}}"#, #"{"isDark": true}"#] {
      try put(old)
      let file = try open(recent)
      let error = AppGroupsFileError.olderVersion(file.url, found: 1, supported: 2)
      #expect(file.status.value.failure == error)
      #expect(throws: error) { try file.update { _ in } }
      #expect(try fixture.text(of: file.url) == old)
    }
    try put(#"{"version": 2, "value": {"theme": "dark"}}"#)
    #expect(try open(recent).value == Third(theme: "dark", size: 12))
  }

  @Test
  func `content without a version has the declared base version`() throws {
    let versions = FileVersions(First.self, startingAt: 0, unversioned: 0)
      .migrating(to: Second.self) { Second(theme: $0.isDark ? "dark" : "light") }
    let format = FileFormat<Second>.versioned(versions)
    #expect(versions.current == 1)
    #expect(try format.decode(Data(#"{"isDark": true}"#.utf8)).theme == "dark")
    #expect(try format.decode(Data(#"{"version": 1, "value": {"theme": "x"}}"#.utf8)).theme == "x")
  }

  @Test
  func `an old value with its own version and value is not mistaken for an envelope`() throws {
    struct Old: Codable, Sendable {
      var version: Int
      var value: String
      var name: String
    }
    struct Named: Codable, Sendable {
      var version: String
      var value: String
    }
    let old = FileFormat<Old>.versioned(FileVersions(Old.self))
    #expect(try old.decode(Data(#"{"version": 9, "value": "v", "name": "n"}"#.utf8)).version == 9)
    let named = FileFormat<Named>.versioned(FileVersions(Named.self))
    #expect(try named.decode(Data(#"{"version": "9", "value": "v"}"#.utf8)).version == "9")
    #expect(try named.decode(named.encode(Named(version: "1", value: "v"))).version == "1")
  }

  @Test
  func `a failed migration is reported with its step and its reason, and changes nothing`() async throws {
    let file = try open()
    let odd = #"{"version": 2, "value": {"theme": "odd"}}"#
    try put(odd)
    let error = AppGroupsFileError.migrationFailed(file.url, from: 2, to: 3, reason: "too odd a theme")
    try await file.status.firstValue { $0.failure == error }
    #expect(file.value == Third(theme: "initial", size: 0))
    #expect(throws: error) { try file.update { _ in } }
    #expect(try fixture.text(of: file.url) == odd)
    try put(#"{"version": 2, "value": {"theme": "even"}}"#)
    try await file.firstValue { $0.theme == "even" }
  }

  @Test(arguments: [
    #"{"version": 1, "value": {"theme": "x"}}"#, #"{"version": 3, "value": {"theme": "x"}}"#, "[]", "{", "5",
    #"{"version": 3}"#, #"{"value": {"theme": "x", "size": 1}}"#,
  ])
  func `a value that does not match its version is undecodable`(content: String) throws {
    try put(content)
    let file = try open()
    guard case .undecodable(_, let reason) = file.status.value.failure else {
      Issue.record("The status is \(file.status.value)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test(arguments: ["xml", "binary", "configured", "own"])
  func `versions work in every coding`(name: String) throws {
    let coding: FileCoding =
      switch name {
      case "xml": .propertyList
      case "binary": .binaryPropertyList
      case "configured":
        .json(
          encoder: { $0.keyEncodingStrategy = .convertToSnakeCase },
          decoder: { $0.keyDecodingStrategy = .convertFromSnakeCase })
      default:
        FileCoding(
          encode: { Data(try JSONEncoder().encode($0).reversed()) },
          decode: { try JSONDecoder().decode($0, from: Data($1.reversed())) })
      }
    func write(_ version: FileVersions<some Codable & Sendable>, _ encode: () throws -> Data) throws {
      try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: true)
      try encode().write(to: fixture.url("settings"))
    }
    try write(second) { try FileFormat(coding).encode(First(isDark: true)) }
    #expect(try open(coding: coding).value == Third(theme: "dark", size: 12))
    try write(second) { try FileFormat.versioned(second, coding: coding).encode(Second(theme: "two")) }
    #expect(try open(coding: coding).value == Third(theme: "two", size: 12))
    let file = try open(coding: coding)
    try file.update { $0.size = 9 }
    #expect(try open(coding: coding).value == Third(theme: "two", size: 9))
    let fourth = third.migrating(to: Third.self) { $0 }
    try write(fourth) { try FileFormat.versioned(fourth, coding: coding).encode(Third(theme: "4", size: 4)) }
    #expect(throws: AppGroupsFileError.newerVersion(file.url, found: 4, supported: 3)) { try file.read() }
  }

  @Test
  func `a custom format can support versions, too`() throws {
    let format = FileFormat<Data>(
      encode: { Data([2]) + $0 },
      decode: { data in
        guard let version = data.first, version <= 2 else {
          throw FileVersionError.newer(found: Int(data.first ?? 0), supported: 2)
        }
        return data.dropFirst()
      })
    let file = try AppGroupsFile(name: "raw", initialValue: Data([7]), container: fixture.container, format: format)
    try Data([3, 7]).write(to: file.url)
    #expect(throws: AppGroupsFileError.newerVersion(file.url, found: 3, supported: 2)) { try file.update { _ in } }
  }
}
