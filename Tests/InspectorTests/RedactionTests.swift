import AppGroups
import Foundation
import Inspector
import Signals
import Stores
import TestSupport
import Testing
import Tweaks

/// That no path leads a secret into a snapshot, a change, an event or a row.
@Suite struct RedactionTests {
  struct Account: Codable, Sendable {
    var name = "Ann"
    var password = "hunter2"
    var nested = ["apiToken": "hunter2", "city": "Oslo"]
  }

  @Test func `values with the names of secrets are redacted in the snapshot, the changes and the text`() async throws {
    let directory = try InspectedDirectory()
    let file = try AppGroupsFile(name: "account.json", initialValue: Account(), container: directory.container)
    let inspector = try Inspector(directory: directory.url)
    let resource = try #require(inspector.value["file/account.json"])
    #expect(resource.value?["password"] == .redacted)
    #expect(resource.value?["nested"]?["city"] == "Oslo")
    #expect(resource.redacted == ["/nested/apiToken", "/password"])
    var updates = inspector.updates.values.makeAsyncIterator()
    try await file.update { $0.password = "hunter2-new" }
    try await file.update { $0.name = "Eve" }
    var all: [InspectorUpdate] = []
    while let update = await updates.next() {
      all.append(update)
      if inspector.value["file/account.json"]?.value?["name"] == "Eve" { break }
    }
    #expect(!"\(all)".contains("hunter2"))
    let text = try await inspector.text(of: "file/account.json")
    #expect(!text.text.contains("hunter2"))
    #expect(text.text.contains("Eve"))
    #expect(text.redacted == ["/nested/apiToken", "/password"])
    let json = try InspectorJSON.encode(inspector.value)
    #expect(!String(decoding: json, as: UTF8.self).contains("hunter2"))
  }

  @Test func `events, presence values and rows are redacted`() async throws {
    let directory = try InspectedDirectory()
    let log = try AppGroupsLog<Account>(name: "inbox", container: directory.container)
    try log.append(Account())
    let presence = try AppGroupsPresence<Account>(name: "app", container: directory.container)
    let token = try presence.announce(Account())
    let database = try Database(.file(directory.file("x.sqlite")))
    try await database.write { transaction in
      try transaction.execute("CREATE TABLE login (id INTEGER PRIMARY KEY, secretKey TEXT, record TEXT)")
      let record = #"{"token": "hunter2", "name": "Ann"}"#
      try transaction.execute("INSERT INTO login VALUES (1, 'hunter2', ?)", record)
    }
    let inspector = try Inspector(directory: directory.url)
    let events = try await inspector.events(of: "log/inbox")
    #expect(events.entries.first?.redacted == ["/nested/apiToken", "/password"])
    let rows = try await inspector.rows(of: "login", in: "database/x.sqlite")
    let everything = "\(inspector.value) \(events) \(rows)"
    #expect(!everything.contains("hunter2"))
    #expect(everything.contains("Oslo"))
    #expect(everything.contains("Ann"))
    token.withdraw()
  }

  @Test func `an encrypted tweak and its override are never shown`() throws {
    let directory = try InspectedDirectory()
    let suite = try AppGroupsSuite(name: "flags.json", container: directory.container)
    try SuiteTweakProvider(suite: suite).set("hunter2-plain", feature: "api", variable: "key")
    let file = #"{"api": {"key": {"Title": "Key", "Value": "hunter2-cipher", "Encrypted": true}}}"#
    try Data(file.utf8).write(to: directory.file("Files/Api.tweaks.json"))
    let snapshot = try Inspector(directory: directory.url).value
    let tweak = try #require(snapshot["tweak/api/key"])
    #expect(tweak.value == nil)
    guard case .tweak(let details) = tweak.details else { throw CommandFailure() }
    #expect(details.secret)
    let json = String(decoding: try InspectorJSON.encode(snapshot), as: UTF8.self)
    #expect(!json.contains("hunter2"))
    #expect(snapshot["suite/flags.json"]?.redacted == ["/api~1key"])
  }

  @Test func `a rule of the app hides more`() throws {
    let directory = try InspectedDirectory()
    _ = try AppGroupsFile(name: "account.json", initialValue: Account(), container: directory.container)
    let rule = InspectorRedaction.standard.hiding("city")
    let snapshot = try Inspector(directory: directory.url, redaction: rule).value
    #expect(snapshot["file/account.json"]?.value?["nested"]?["city"] == .redacted)
    #expect(rule.hides("accessToken"))
    #expect(rule.hides("API_KEY"))
    #expect(!rule.hides("name"))
  }
}
