import Foundation
@testable import Inspector
import Testing

/// The JSON that the panel, the command line and processes exchange, which panels of other builds must read.
@Suite struct WireTests {
  private static let date = Date(timeIntervalSince1970: 1_700_000_000.5)
  private static let holder = InspectedHolder(pid: 7, name: "app", process: "app-7", stopped: false)

  /// A resource of each kind, every member of which has a value.
  static let resources: [InspectedResource] = [
    resource(
      "file/a.json",
      .file(
        InspectedFile(
          format: .json, envelope: "2", keys: ["title"], editable: true, editor: .init(process: "app-7", type: "Song"),
          holder: holder))),
    resource(
      "suite/b.json",
      .suite(InspectedSuite(keys: ["k"], types: ["k": "number"], tweaks: true, editable: true, holder: holder))),
    resource(
      "log/inbox",
      .log(
        InspectedLog(
          last: date, bytes: 10, events: "2", end: "3",
          producers: [
            .init(
              id: "p", segments: 1, bytes: 10, events: "2", end: "3", active: true, pid: 7, process: "app-7",
              last: date)
          ],
          consumers: [
            .init(
              name: "indexer", state: .caughtUp, cursor: "2", end: "3", lag: 1, reason: "r", oldest: 1.5, since: 2,
              reads: 0.5, empty: 2, running: true, pid: 7, process: "app-7", active: date, loss: "absence",
              error: "e", cursors: [.init(producer: "p", position: "2", end: "3", lag: 1)])
          ]))),
    resource(
      "presence/app",
      .presence(
        InspectedPresence(members: [
          .init(
            id: "1", process: "app-7", pid: 7, name: "app", since: date, suspended: true,
            value: ["big": .integer(.max), "half": 0.5, "whole": .number(1)], redacted: ["/token"])
        ]))),
    resource(
      "database/n.sqlite",
      .database(
        InspectedDatabase(
          schema: 1, application: 2, journal: "wal", bytes: 4096, wal: 8, shared: true, writer: holder,
          tables: [.init(name: "note", rows: 3, capped: false)],
          history: .init(
            first: "1", last: "2",
            entries: [
              .init(
                seq: "2", author: "app", process: "app-7", cause: "c", at: date, inserted: 1, updated: 2, deleted: 3,
                tables: ["note"],
                everything: true)
            ]),
          authors: [.init(name: "app", cursor: "1", lag: 1, seen: date, running: true, process: "app-7")],
          queues: [
            .init(
              name: "q", counts: ["failed": 1],
              jobs: [
                .init(
                  id: "7", state: "running", attempt: 2, failures: 1, error: "e", progress: 0.5, at: date, worker: "w",
                  process: "app-7")
              ])
          ]))),
    resource(
      "container/",
      .container(
        InspectedContainer(
          active: "E1",
          environments: [
            .init(
              id: "E1", name: "Work", description: "for tests", created: date, activated: date, activations: 1,
              active: true, default: false, problem: "p")
          ],
          journal: .init(moves: 2, text: "t"), revision: "3"))),
    resource(
      "session/s",
      .session(
        InspectedSession(
          state: .in, user: "ann", expires: date, activity: date, former: 1, number: 2, generation: 3,
          renewal: .init(pid: 7, generation: 3), holder: holder))),
    resource(
      "tweak/shop/limit",
      .tweak(
        InspectedTweak(
          feature: "shop", variable: "limit", title: "Limit", details: "d", group: "g", type: "int", source: "s",
          secret: false, overridden: true, editable: true,
          trace: [.init(provider: "p", outcome: .value, text: "1", winner: true)]))),
    resource(
      "lock/l",
      .lock(
        InspectedLock(
          mode: "write", kind: "ofd", purpose: "writing a.json", holders: [holder], waiters: [holder], since: date))),
    resource(
      "graph/app-7",
      .graph(
        InspectedGraph(
          process: "app-7", pid: 7, dropped: 1,
          nodes: [
            .init(
              id: "n0", name: "volume", kind: "property", type: "Int", place: "A.swift:1", value: "5", subscribers: 1,
              changes: "2", rate: .init(perSecond: 0.5, perSecondInMinute: 0.25), internal: false)
          ],
          edges: [.init(from: "n0", to: "n1")], consumers: [.init(node: "n0", steps: ["sink"], place: "A.swift:2")],
          files: [.init(path: "Files/a.json", type: "Song")]))),
  ]

  private static func resource(_ id: String, _ details: InspectedResource.Details) -> InspectedResource {
    var resource = InspectedResource(id: id, name: "n", path: "p", details)
    (resource.version, resource.problem, resource.at, resource.size) = ("v", "x", date, 12)
    (resource.process, resource.cause) = ("app-7", "c")
    (resource.seq, resource.rate) = ("4", .init(perSecond: 1, perSecondInMinute: 2))
    (resource.value, resource.redacted, resource.truncated) = (7, ["/a"], true)
    return resource
  }

  private static let change = InspectorChange(
    sequence: "5", resource: "file/a.json", kind: .file, operation: .update, version: "v", at: date, process: "app-7",
    author: "app", cause: "c", count: 2, summary: "s",
    differences: InspectedDifference.of(["a": 1, "b": 2], ["b": 3, "c": 4]).differences, more: 2)

  private static var undo: InspectorRequest {
    var undo = InspectorRequest(.setValue, "file/a.json")
    (undo.version, undo.value, undo.path, undo.text) = ("v", 1, "/a", "t")
    (undo.id, undo.name, undo.description, undo.consumer, undo.dryRun) = ("i", "n", "d", "c", true)
    return undo
  }

  private static var outcome: InspectorOutcome {
    var outcome = InspectorOutcome("Set it.", "file/a.json")
    (outcome.path, outcome.version, outcome.differences) = ("Files/a.json", "v", change.differences)
    (outcome.maker, outcome.undo) = (.init(pid: 7, name: "app"), undo)
    return outcome
  }

  private static let event = InspectedEvent(
    id: "p:1", producer: "p", process: "app-7", sequence: "1", at: date, bytes: 3, value: 1, redacted: ["/a"],
    truncated: true)

  private static let rows = InspectedRows(
    resource: "database/n.sqlite", table: "note", columns: ["id"], keys: ["id"], rows: [[1]], next: "2")

  private static let snapshot = InspectorSnapshot(
    epoch: "e", seq: "4", writable: true, name: "n", directory: "/n", at: date,
    processes: [
      InspectedProcess(
        id: "app-7", pid: 7, name: "app", since: date, suspended: true, stopped: true, holds: 1, presences: ["p"],
        publishes: true)
    ], resources: [],
    problems: [InspectedProblem(id: "i", path: "p", operation: "Read p", cause: "c", remedy: "r")])

  private static var repository: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  /// Every part of the protocol with each of its members, as panels of the first build of the protocol read it.
  @Test func `the JSON of the protocol has the names and forms of its version`() throws {
    #expect(InspectorSnapshot.currentProtocol == 1)
    let stored = Self.repository.appending(path: "Tests/Fixtures/Inspector/protocol-1.jsonl")
    let lines = try String(contentsOf: stored, encoding: .utf8).split(separator: "\n").map(String.init)
    let values: [any Encodable] =
      Self.resources + [Self.change, Self.outcome, Self.event, Self.rows, Self.snapshot]
    #expect(values.count == lines.count)
    for (value, line) in zip(values, lines) {
      #expect(String(decoding: try InspectorJSON.encode(value), as: UTF8.self) == line)
    }
  }

  @Test func `the details of a resource are those of the protocol`() throws {
    for resource in Self.resources {
      let json = try InspectorJSON.decode(InspectedValue.self, from: InspectorJSON.encode(resource))
      #expect(resource.details == json[resource.kind.rawValue])
    }
    let log = try #require(Self.resources.first { $0.kind == .log }).details
    #expect(log["consumers"]?[0]?["state"] == "caught up")
    #expect(log["consumers"]?[0]?["lag"]?.int == 1)
    #expect(log["consumers"]?[0]?["oldest"]?.double == 1.5)
    #expect(log["last"]?.double == 1_700_000_000.5)
    #expect(log["consumers"]?[1] == nil && log["consumers"]?[-1] == nil && log["lag"] == nil && log[0] == nil)
    #expect(log["consumers"]?.array?.count == 1 && log["end"]?.array == nil && log["end"]?.int == nil)
  }

  /// The table is the only description of the members.
  @Test func `the page of the details lists their members for each kind`() throws {
    let page = try String(
      contentsOf: Self.repository.appending(path: "Sources/Inspector/Inspector.docc/Details.md"), encoding: .utf8)
    for resource in Self.resources {
      let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(resource.kind)` |") })
      let listed = Set(row.split(separator: "`").map(String.init))
      for name in Self.names(in: resource.details) where !listed.contains(name) {
        Issue.record("the row of \(resource.kind) does not list \(name)")
      }
    }
  }

  /// Returns the names of the members of an object and of the objects in its arrays, except values of the user and
  /// processes, whose members are listed once.
  private static func names(in value: InspectedValue) -> Set<String> {
    switch value {
    case .object(let members):
      members.reduce(into: []) { names, member in
        names.insert(member.key)
        let isDescribedOnce = ["holder", "holders", "waiters", "writer"].contains(member.key)
        if isDescribedOnce || ["value", "types"].contains(member.key) { return }
        names.formUnion(Self.names(in: member.value))
      }
    case .array(let elements): elements.reduce(into: []) { $0.formUnion(Self.names(in: $1)) }
    default: []
    }
  }

  @Test func `each way to make a request has the JSON of its action`() throws {
    var file = InspectedResource(id: "file/a.json", name: "a.json", Self.resources[0].typedDetails)
    file.version = "v"
    let archive = URL(filePath: "/tmp/work")
    let requests: [(InspectorRequest, String)] = [
      (.set(1, of: file), #""action":"value.set","r":"file/a.json","value":1,"version":"v""#),
      (.set(1, at: "/a", of: file), #""action":"value.edit","path":"/a","r":"file/a.json","value":1,"version":"v""#),
      (.remove("/a", of: file), #""action":"value.remove","path":"/a","r":"file/a.json","version":"v""#),
      (.setTweak("tweak/a/b", to: "1"), #""action":"tweak.set","r":"tweak/a/b","text":"1""#),
      (.resetTweak("tweak/a/b"), #""action":"tweak.reset","r":"tweak/a/b""#),
      (.resetAllTweaks, #""action":"tweak.resetAll""#),
      (.removeConsumer("c", of: "log/a"), #""action":"log.removeConsumer","consumer":"c","r":"log/a""#),
      (
        .retryJob(7, of: "q", in: "database/a"),
        #""action":"queue.retry","id":"7","name":"q","r":"database/a""#
      ),
      (
        .cancelJob(7, of: "q", in: "database/a"),
        #""action":"queue.cancel","id":"7","name":"q","r":"database/a""#
      ),
      (.trimLog("log/a"), #""action":"log.trim","r":"log/a""#),
      (.switchEnvironment(to: "W"), #""action":"container.switch","id":"W","r":"container/""#),
      (
        .createEnvironment(named: "W", description: "d"),
        #""action":"container.create","description":"d","name":"W","r":"container/""#
      ),
      (
        .cloneEnvironment("W", named: "C", in: "container/a"),
        #""action":"container.clone","id":"W","name":"C","r":"container/a""#
      ),
      (.renameEnvironment("W", to: "C"), #""action":"container.rename","id":"W","name":"C","r":"container/""#),
      (.cleanEnvironment("W"), #""action":"container.clean","id":"W","r":"container/""#),
      (.deleteEnvironment("W"), #""action":"container.delete","id":"W","r":"container/""#),
      (
        .exportEnvironment("W", to: archive),
        #""action":"container.export","id":"W","path":"/tmp/work","r":"container/""#
      ),
      (.importEnvironment(from: archive), #""action":"container.import","path":"/tmp/work","r":"container/""#),
      (.resetEnvironments(), #""action":"container.reset","r":"container/""#),
    ]
    for (request, json) in requests {
      #expect(String(decoding: try InspectorJSON.encode(request), as: UTF8.self) == "{\(json)}")
    }
    #expect(Set(requests.map(\.0.action)) == Set(InspectorRequest.Action.allCases))
  }
}
