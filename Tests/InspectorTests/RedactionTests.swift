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
    let inspector = try Inspector(directory: directory.url, isWritable: true)
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
    let whole = try await inspector.resource("file/account.json")
    #expect(!"\(whole)".contains("hunter2"))
    #expect(whole.value?["name"] == "Eve")
    #expect(whole.redacted == ["/nested/apiToken", "/password"])
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
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let events = try await inspector.events(of: "log/inbox")
    #expect(events.first?.redacted == ["/nested/apiToken", "/password"])
    let rows = try await inspector.rows(of: "login", in: "database/x.sqlite")
    let everything = "\(inspector.value) \(events) \(rows)"
    #expect(!everything.contains("hunter2"))
    #expect(everything.contains("Oslo"))
    #expect(everything.contains("Ann"))
    token.withdraw()
  }

  @Test(arguments: [
    " {\"password\":\"hunter2\"}", "\n\t[{\"token\":\"hunter2\"}]", "\u{FEFF}{\"password\":\"hunter2\"}",
    "{\"password\":\"hunter2\",\"password\":\"hunter2\"}", "{\"password\":\"hunter2\",}",
    String(repeating: "[", count: 600) + "{\"apiKey\":\"hunter2\"}" + String(repeating: "]", count: 600),
  ])
  func `JSON in a row is redacted, however it is written`(text: String) async throws {
    let directory = try InspectedDirectory()
    let database = try Database(.file(directory.file("x.sqlite")))
    try await database.write { transaction in
      try transaction.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
      for body in [text, "[urgent] call Bob", "{draft} for Ann"] {
        try transaction.execute("INSERT INTO note (body) VALUES (?)", body)
      }
    }
    let rows = try await Inspector(directory: directory.url).rows(of: "note", in: "database/x.sqlite")
    let everything = "\(rows)"
    #expect(!everything.contains("hunter2"))
    #expect(everything.contains("[urgent] call Bob") && everything.contains("{draft} for Ann"))
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
    guard case .tweak(let details) = tweak.typedDetails else { throw CommandFailure() }
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

  // MARK: Overrides of secret flags

  private static let pin = TweakID(feature: "net", variable: "pin")

  /// A group with an encrypted flag and a plain one, and a suite of overrides beside other values.
  private func overridden() throws -> (InspectedDirectory, AppGroupsSuite, SuiteTweakProvider) {
    let directory = try InspectedDirectory()
    let suite = try AppGroupsSuite(name: "overrides.json", container: directory.container)
    try suite.update { try $0.set("a value of the app", forKey: "welcome") }
    let flags = #"{"net": {"pin": {"Value": "x0", "Encrypted": true}, "limit": {"Value": 10}}}"#
    try Data(flags.utf8).write(to: directory.file("Files/flags.tweaks.json"))
    return (directory, suite, SuiteTweakProvider(suite: suite))
  }

  @Test func `an override with an end is recognised, beside other values, and a secret one is hidden`() async throws {
    let (directory, _, provider) = try overridden()
    let end = Date(timeIntervalSinceNow: 3_600)
    try provider.apply([
      TweakEdit(Self.pin, .string("hunter2"), until: end),
      TweakEdit(TweakID(feature: "net", variable: "limit"), .int(30), until: end),
    ])
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let snapshot = try await inspector.wait { $0["tweak/net/limit"]?.value == 30 }
    #expect(!"\(snapshot)".contains("hunter2"))
    #expect(snapshot["suite/overrides.json"]?.value?["welcome"] == "a value of the app")
    let whole = try await inspector.resource("suite/overrides.json")
    #expect(!"\(whole)".contains("hunter2") && whole.redacted == ["/net~1pin"])
    var request = InspectorRequest(.setTweak, "tweak/net/limit")
    request.text = "40"
    _ = try await inspector.perform(request)
    #expect(try provider.tweak(feature: "net", variable: "limit")?.value == 40)
  }

  @Test func `an override that has ended does not count`() async throws {
    let (directory, suite, _) = try overridden()
    try await suite.update { contents in
      try contents.set(["int": 30.0, "until": 700_000_000.5], forKey: "net/limit")
      try contents.set(700_000_001.5, forKey: "tweaks-clock")
    }
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    _ = try await inspector.wait { $0["tweak/net/limit"]?.value == 10 }
  }

  @Test func `the value of a secret flag is hidden even in a file of another form`() async throws {
    let (directory, suite, _) = try overridden()
    try await suite.update { try $0.set(["string": "hunter2", "note": "hunter2"], forKey: "net/pin") }
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let snapshot = try await inspector.wait { $0["tweak/net/pin"] != nil }
    #expect(!"\(snapshot)".contains("hunter2"))
  }

  // MARK: Ways in and out

  @Test func `a conflict shows no hidden value of either side`() async throws {
    let (directory, _, provider) = try overridden()
    try provider.apply([TweakEdit(Self.pin, .string("hunter2"))])
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    _ = try await inspector.wait { $0["suite/overrides.json"] != nil }
    var request = inspector.request("suite/overrides.json", nil, nil, action: .setValue)
    request.value = inspector.value["suite/overrides.json"]?.value
    request.version = "another"
    let refusal = try await inspector.refusal(of: request)
    guard case .conflict = refusal else { throw refusal }
    #expect(!"\(refusal)".contains("hunter2"))
  }

  @Test(arguments: ["/password", "/nested/apiToken", "/nested"])
  func `an edit that contains a placeholder keeps what is hidden there`(place: String) async throws {
    let directory = try InspectedDirectory()
    let file = try AppGroupsFile(name: "account.json", initialValue: Account(), container: directory.container)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let shown = try #require(inspector.value["file/account.json"]?.value)
    let value = place == "/nested" ? try #require(shown["nested"]) : .redacted
    _ = try await inspector.perform(inspector.request("file/account.json", place, value))
    #expect(try file.read().password == "hunter2")
    #expect(try file.read().nested["apiToken"] == "hunter2")
  }

  // MARK: Hidden parts in arrays

  private static let users: [[String: String]] = [
    ["name": "Ann", "password": "hunter2"], ["name": "Bob", "password": "swordfish"],
  ]

  private static func shown(_ names: [String]) -> InspectedValue {
    .array(names.map { ["name": .string($0), "password": .redacted] })
  }

  /// A file with an array of users, which is in an object.
  private func team() throws -> (InspectedDirectory, AppGroupsFile<[String: [[String: String]]]>) {
    let directory = try InspectedDirectory()
    let initial = ["users": Self.users]
    return (directory, try AppGroupsFile(name: "team.json", initialValue: initial, container: directory.container))
  }

  @Test(arguments: [["Bob"], ["Bob", "Ann"], ["Ann", "Eve"], ["Ann", "Bob", "Eve"], ["Ann"]])
  func `no element of an array that has changed gets the secret of another`(names: [String]) async throws {
    let (directory, file) = try team()
    let users = Self.shown(names)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    for (place, value) in [("/users", users), (nil, ["users": users])] as [(String?, InspectedValue)] {
      let action = place == nil ? InspectorRequest.Action.setValue : .editValue
      let request = inspector.request("file/team.json", place, value, action: action)
      let refusal = try await inspector.refusal(of: request)
      #expect(refusal.code == "invalid" && "\(refusal)".contains("in an array that has changed"))
      #expect(try file.read() == ["users": Self.users])
    }
  }

  @Test func `an array that is as it was shown keeps its hidden parts`() async throws {
    let (directory, file) = try team()
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let whole: InspectedValue = ["users": Self.shown(["Ann", "Bob"])]
    _ = try await inspector.perform(inspector.request("file/team.json", nil, whole, action: .setValue))
    #expect(try file.read() == ["users": Self.users])
    let eve: InspectedValue = ["name": "Eve", "password": .redacted]
    _ = try await inspector.perform(inspector.request("file/team.json", "/users/1", eve))
    #expect(try file.read()["users"] == [Self.users[0], ["name": "Eve", "password": "swordfish"]])
    let others: InspectedValue = [["name": "Eve", "password": "new"]]
    _ = try await inspector.perform(inspector.request("file/team.json", "/users", others))
    #expect(try file.read()["users"] == [["name": "Eve", "password": "new"]])
  }

  @Test func `a request for an earlier array is a conflict`() async throws {
    let (directory, file) = try team()
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let request = inspector.request("file/team.json", "/users", Self.shown(["Ann", "Bob"]))
    try await file.update { $0["users"]?.removeFirst() }
    let refusal = try await inspector.refusal(of: request)
    guard case .conflict(_, _, _, let theirs, nil) = refusal else { throw refusal }
    #expect(theirs == ["users": Self.shown(["Bob"])])
  }

  @Test(arguments: ["/name", "/nested/city"])
  func `a placeholder is not stored where nothing is hidden`(place: String) async throws {
    let directory = try InspectedDirectory()
    let file = try AppGroupsFile(name: "account.json", initialValue: Account(), container: directory.container)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let refusal = try await inspector.refusal(of: inspector.request("file/account.json", place, .redacted))
    #expect("\(refusal)".contains("placeholder"))
    #expect(try file.read().name == "Ann")
  }

  @Test func `a value that is too large for a snapshot is read on its own, without its hidden parts`() async throws {
    let directory = try InspectedDirectory()
    let (long, large) = (String(repeating: "x", count: 20 << 10), directory.file("Files/large.json"))
    _ = try AppGroupsFile(name: "small.json", initialValue: 1, container: directory.container)
    try Data(#"{"long": "\#(long)", "password": "hunter2"}"#.utf8).write(to: large)
    let inspector = try Inspector(directory: directory.url)
    #expect(inspector.value["file/large.json"]?.value == nil)
    let whole = try await inspector.resource("file/large.json")
    #expect(whole.value == ["long": .string(long), "password": .redacted])
    #expect(whole.version == inspector.value["file/large.json"]?.version)
    #expect(try await inspector.resource("file/small.json") == inspector.value["file/small.json"])
    await #expect(throws: InspectorError.notFound("file/other.json")) {
      try await inspector.resource("file/other.json")
    }
  }
}
