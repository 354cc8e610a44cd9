import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Bytes and text, which can be empty")
struct EmptyContentTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func text(_ initialValue: String = "") throws -> AppGroupsFile<String> {
    try AppGroupsFile(name: "text", initialValue: initialValue, container: fixture.container, format: .text)
  }

  @Test
  func `text and bytes are stored unchanged`() throws {
    let text = "no line break, é, e\u{301}, \u{0}, 😀\r\n\u{FEFF}"
    let file = try self.text(text)
    #expect(try Data(contentsOf: file.url) == Data(text.utf8))
    #expect(try Array(file.read().utf8) == Array(text.utf8))
    let bytes = Data((0...255).map(UInt8.init))
    let raw = try AppGroupsFile(name: "raw", initialValue: bytes, container: fixture.container, format: .rawData)
    #expect(try Data(contentsOf: raw.url) == bytes)
    #expect(try raw.read() == bytes)
  }

  @Test
  func `content that is not UTF-8 cannot be decoded as text, and is not repaired`() async throws {
    let file = try text("good")
    try Data([0x61, 0xFF]).write(to: file.url)
    #expect(throws: AppGroupsFileError.undecodable(file.url, reason: "it is not valid UTF-8 text")) { try file.read() }
    try await file.status.firstValue { $0 != .current }
    #expect(file.value == "good")
    #expect(throws: AppGroupsFileError.self) { try file.update { $0 = "mine" } }
    #expect(try Data(contentsOf: file.url) == Data([0x61, 0xFF]))
  }

  @Test
  func `an empty text is a value: it can be written, opened and observed`() async throws {
    let file = try text("full")
    let values = file.recorded()
    try await file.write("")
    #expect(file.value == "")
    #expect(file.status.value == .current)
    let other = try text("initial")
    #expect(other.value == "", "content wins over the initial value, even empty content")
    #expect(other.status.value == .current)
    try await other.update { text in
      #expect(text == "")
      text = "again"
    }
    try await values.wait(for: "all of them") { $0 == ["full", "", "again"] }
  }

  @Test
  func `a permanently emptied file is an empty text`() async throws {
    let file = try text("full")
    let failures = file.failures.recorded()
    try fixture.overwrite("text", with: "")
    try await file.firstValue { $0.isEmpty }
    #expect(file.status.value == .current)
    #expect(failures.elements.isEmpty)
  }

  @Test
  func `a file emptied in order to be filled is never an empty text`() async throws {
    let file = try text("0")
    let values = file.recorded()
    var longest = Duration.zero
    for round in 1...10 {
      let duration = try ContinuousClock().measure {
        let handle = try FileHandle(forWritingTo: file.url)
        try handle.truncate(atOffset: 0)
        // A change of mode, so that all observers read the file while it is empty.
        chmod(file.url.path, round % 2 == 0 ? 0o600 : 0o640)
        usleep(5_000)
        try handle.write(contentsOf: Data("\(round)".utf8))
        try handle.close()
      }
      longest = max(longest, duration)
      try await file.firstValue { $0 == "\(round)" }
    }
    // On a machine so busy that this takes a third of a second, the empty content was rightly accepted.
    if longest < .milliseconds(200) { #expect(!values.elements.contains("")) }
  }

  @Test
  func `an update waits until an emptied file is filled`() async throws {
    let file = try text("before")
    let handle = try FileHandle(forWritingTo: file.url)
    try handle.truncate(atOffset: 0)
    let start = ContinuousClock().now
    async let seen = file.update(overwriting: false) { text in
      defer { text += "!" }
      return text
    }
    try await Task.sleep(for: .milliseconds(30))
    try handle.write(contentsOf: Data("after".utf8))
    try handle.close()
    let isFast = ContinuousClock().now - start < .milliseconds(200)
    let text = try await seen
    if isFast { #expect(text == "after") }
    try await file.firstValue { $0.hasSuffix("!") }
  }

  @Test
  func `an update of an empty file starts from the empty text`() async throws {
    let file = try text("before")
    let blind = try text("before")
    try fixture.overwrite("text", with: "")
    let seen = try await file.update(overwriting: false) { text in
      defer { text = "after" }
      return text
    }
    #expect(seen == "")
    try await blind.firstValue { $0 == "after" }
  }

  @Test
  func `empty content is neither JSON nor a property list`() throws {
    #expect(throws: (any Error).self) { try FileFormat<[Int]>.json.decode(Data()) }
    #expect(throws: (any Error).self) { try FileFormat<[Int]>(.propertyList).decode(Data()) }
    #expect(throws: (any Error).self) { try FileFormat<[Int]>(.binaryPropertyList).decode(Data()) }
    #expect(throws: (any Error).self) { try FileFormat<[Int]>.versioned(FileVersions([Int].self)).decode(Data()) }
    #expect(try FileFormat<Data>.rawData.decode(Data()) == Data())
    #expect(try FileFormat<String>.text.decode(Data()) == "")
  }
}
