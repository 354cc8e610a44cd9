import AppGroups
import CLibrary
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Shared files and suites that are too large", .eachKernel)
struct SizeLimitTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  /// Makes a file larger than any memory, without using space on the disk.
  private func inflate(_ url: URL) throws {
    // Closed, because the system reports the end of writing.
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: UInt64(huge))
    try handle.close()
  }

  private let huge = 1 << 40

  @Test
  func `content that is too large is not read but reported, and the next good content recovers`() async throws {
    let file = try fixture.counter("value.json", 1)
    let failures = file.failures.recorded()
    let failure = AppGroupsFileError.contentTooLarge(file.url, size: huge, limit: 64 << 20)
    try inflate(file.url)
    try await failures.first("the failure") { $0 == failure }
    #expect(file.status.value.failure == failure)
    #expect(file.value == 1)
    #expect(throws: failure) { try file.read() }
    try fixture.overwrite("value.json", with: "2")
    try await file.firstValue { $0 == 2 }
    #expect(file.status.value == .current)
  }

  @Test
  func `content that is too large stays until it is overwritten on purpose`() throws {
    let first = try fixture.counter("value.json", 1)
    try inflate(first.url)
    let failure = AppGroupsFileError.contentTooLarge(first.url, size: huge, limit: 64 << 20)
    for file in try [first, fixture.counter("value.json", 5)] {
      #expect(throws: failure) { try file.update { $0 += 1 } }
      var status = stat()
      #expect(stat(file.url.path, &status) == 0)
      #expect(Int(status.st_size) == huge)
    }
    try first.update(overwriting: true) { $0 += 1 }
    #expect(try first.read() == 2)
    try inflate(first.url)
    try first.write(3)
    #expect(try first.read() == 3)
    try inflate(first.url)
    let opened = try fixture.counter("value.json", 7)
    #expect(opened.status.value.failure == failure)
    #expect(opened.value == 7)
  }

  @Test
  func `a value that is too large is rejected, and nothing is lost`() async throws {
    let file = try AppGroupsFile(
      name: "text", initialValue: "old", container: fixture.container, format: .text, options: .init(maximumSize: 1000))
    let values = file.recorded()
    let (longest, longer) = (String(repeating: "x", count: 1000), String(repeating: "y", count: 1001))
    let failure = AppGroupsFileError.valueTooLarge(file.url, size: 1001, limit: 1000)
    try await file.write(longest)
    await #expect(throws: failure) { try await file.write(longer) }
    await #expect(throws: failure) { try await file.update { $0 = longer } }
    #expect(try file.read() == longest)
    #expect(values.elements == ["old", longest])
    #expect(file.status.value == .current)
    #expect(throws: AppGroupsFileError.self) {
      try AppGroupsFile(
        name: "other", initialValue: longer, container: fixture.container, format: .text,
        options: .init(maximumSize: 1000))
    }
    #expect(try fixture.contents(of: fixture.files) == [".shared", "text"])
  }

  @Test
  func `a suite that is too large is not read, and no suite becomes too large`() async throws {
    let suite = try AppGroupsSuite(
      name: "suite.json", container: fixture.container, options: .init(durability: .process, maximumSize: 1000))
    try await suite.set("small", forKey: "text")
    let text = String(repeating: "x", count: 1000)
    let error = #expect(throws: AppGroupsFileError.self) { try suite.set(text, forKey: "other") }
    guard case .valueTooLarge(suite.url, _, limit: 1000) = error else { throw try #require(error) }
    #expect(try suite.read().keys == ["text"])
    #expect(suite.keys == ["text"])
    try inflate(suite.url)
    try await suite.status.firstValue { $0.failure == .contentTooLarge(suite.url, size: huge, limit: 1000) }
    #expect(suite.keys == ["text"])
    #expect(throws: AppGroupsFileError.self) { try suite.set(1, forKey: "number") }
    try fixture.overwrite("suite.json", with: "{}")
    try await suite.firstValue { $0.keys.isEmpty }
  }

  @Test
  func `a file opened by its URL has a limit as well`() throws {
    let url = fixture.directory.file("text")
    try Data("12345".utf8).write(to: url)
    let file = try AppGroupsFile(url: url, initialValue: "", format: .text, options: .init(maximumSize: 4))
    #expect(file.status.value.failure == .contentTooLarge(url, size: 5, limit: 4))
    #expect(throws: AppGroupsFileError.valueTooLarge(url, size: 5, limit: 4)) { try file.write("abcde") }
    try file.write("abcd")
    #expect(try file.read() == "abcd")
  }
}
