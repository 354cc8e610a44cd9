import AppGroups
import Foundation
import TestSupport
import Testing

/// Errors of decoding name the member, the expected type and the value.
@Suite("Errors of decoding")
struct MemberErrorTests {
  private struct Settings: Codable, Sendable {
    enum Theme: String, Codable { case dark }
    var theme: Theme?
    var volume: Int?
    var sizes: [Int8]?
    var id: UUID?
    var link: URL?
    var date: Date?
  }

  static let cases = [
    (#"{"theme": "dark", "volume": 1.5}"#, ["Int", "1.5", "at volume"]),
    (#"{"volume": 1e30}"#, ["Int", "1e30", "at volume"]),
    (#"{"sizes": [1, 300, 400]}"#, ["Int8", "at sizes"]),
    (#"{"id": "zz"}"#, ["UUID", "zz", "at id"]),
    (#"{"theme": "light"}"#, ["Theme", "light", "at theme"]),
    (#"{"volume": "loud"}"#, ["Int", "string", "at volume"]),
  ]

  @Test(arguments: cases)
  func `a file names the member, the type and the value, and a position`(text: String, words: [String]) throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("settings.json")
    try Data(text.utf8).write(to: url)
    let file = try AppGroupsFile(url: url, initialValue: Settings())
    let error = #expect(throws: AppGroupsFileError.self) { try file.update { _ in } }
    let message = try #require(error?.description)
    for word in words + ["line 1"] { #expect(message.contains(word), "\(message)") }
    #expect(!message.contains("not valid JSON") && !message.contains("not JSON"))
  }

  @Test(arguments: cases)
  func `a suite names the member, the type and the value`(text: String, words: [String]) throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("suite.json")
    try Data("{\"settings\": \(text)}".utf8).write(to: url)
    let suite = try AppGroupsSuite(url: url)
    let error = #expect(throws: AppGroupsFileError.self) { try suite.value(forKey: "settings", as: Settings.self) }
    let message = try #require(error?.description)
    for word in words { #expect(message.contains(word), "\(message)") }
    #expect(!message.contains("not valid JSON"))
  }
}
