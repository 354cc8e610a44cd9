import AppGroups
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@testable import Containers

@Suite("A log in a root that other processes switch", .patient)
struct LogProcessTests {
  private let world: LogWorld
  private let app: AppContainer
  private let log: AppGroupsLog<String>
  private let ids: [UUID]

  init() throws {
    world = try LogWorld(LogLimits(segmentSize: 65_536))
    (app, log, ids) = (world.app, world.log, world.ids)
  }

  @Test func `an append after another process's switch goes to the new log, even before the switch is observed`()
    async throws
  {
    let peer = try await world.peer()
    try await onThread { [log] in _ = try log.append("default 1") }
    for round in 1...6 {
      try await peer.send("env-activate \(ids[round % 3])")
      try await onThread { [log] in _ = try log.append("round \(round)") }
    }
    #expect(try await world.texts(in: ids[0]) == ["default 1", "round 3", "round 6"])
    #expect(try await world.texts(in: ids[1]) == ["round 1", "round 4"])
    #expect(try await world.texts(in: ids[2]) == ["round 2", "round 5"])
  }

  @Test func `a consumer follows switches by another process, and reports no failure`() async throws {
    let peer = try await world.peer()
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try await peer.send("append default 1")
    try await consumer.expect(["default 1"])
    try await peer.send("env-activate \(ids[1])")
    try await peer.send("append work 1")
    try await consumer.expect(["default 1", "work 1"])
    try await peer.send("env-activate \(ids[0])")
    try await peer.send("append default 2")
    try await consumer.expect(["default 1", "work 1", "default 2"])
    // The peer is a new producer after each switch, whose events are numbered from 1.
    #expect(consumer.entries.elements.allSatisfy { $0.sequence == 1 })
  }

  @Test func `a consumer in another process follows switches`() async throws {
    let peer = try await world.peer()
    try await peer.send("follow-log widget")
    var texts: [String] = []
    for round in 1...9 {
      try await app.activate(id: ids[round % 3])
      try await onThread { [log] in _ = try log.append("round \(round)") }
      texts.append("round \(round)")
      let expected = texts
      try await peer.events.wait(for: "event \(round)") { events in
        events.filter { $0.hasPrefix("entry ") }.map { String($0.split(separator: " ", maxSplits: 4)[4]) } == expected
      }
    }
    #expect(!peer.events.elements.contains { $0.hasPrefix("failure ") })
  }

  @Test func `a log always opens while another process switches`() async throws {
    let peer = try PeerProcess()
    try await peer.send("env \(world.fixture.root.path)")
    let isOver = Flag()
    let count = Scale.count(60, torture: 2_000)
    let hammer = Task { [world] in
      defer { isOver.isSet.store(true, ordering: .relaxed) }
      try await peer.send("env-hammer \(world.names) \(count) 3")
    }
    let opened = try await onThread { [app] in
      var opened = 0
      repeat {
        let log = try AppGroupsLog<Int>(name: "opened", scope: app.scope)
        try log.append(opened)
        // A named consumer would let trimming remove what it has handled.
        let events = try log.newEvents()
        let subscription = events.sink { _ in }
        subscription.cancel()
        opened += 1
      } while !isOver.isSet.load(ordering: .relaxed)
      return opened
    }
    _ = try await hammer.value
    var found: [Int] = []
    for id in ids {
      try await app.activate(id: id)
      let log = try AppGroupsLog<Int>(name: "opened", scope: app.scope)
      try await onThread { _ = try log.append(-1) }
      for await entry in try log.events(for: "the end").values {
        if entry.event < 0 { break }
        found.append(entry.event)
      }
    }
    #expect(found.sorted() == Array(0..<opened))
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// A named consumer receives all events.
  ///
  /// An unnamed one has none trimmed, so all can be found in the logs.
  @Test(arguments: [false, true])
  func `every event is found once, in the environment in which it was appended`(isNamed: Bool) async throws {
    let peers = try await [world.peer(), world.peer()]
    let switcher = try PeerProcess()
    try await switcher.send("env \(world.fixture.root.path)")
    let (switches, count) = (Scale.count(40, torture: 3_000), Scale.count(400, torture: 40_000))
    let consumer = EntryRecorder(try isNamed ? log.events(for: "widget") : log.newEvents())
    try await peers[0].send(isNamed ? "follow-log peer" : "follow-new")
    async let hops = switcher.send("env-hammer \(world.names) \(switches) 5")
    async let first = peers[0].send("append-tracked \(count) first")
    async let second = peers[1].send("append-tracked \(count) second")
    let expected = Expectations()
    try await onThread { [app, log] in
      for number in 1...count {
        let before = (app.scope.switchCount.value, app.active.value.id)
        try log.append("own \(number)")
        let isSteady = before == (app.scope.switchCount.value, app.active.value.id)
        expected.note("own \(number)", isSteady ? before.1.uuidString : "any")
      }
    }
    _ = try await (hops, first, second)
    for peer in peers {
      for line in peer.events.elements where line.hasPrefix("appended ") {
        let words = line.split(separator: " ").map(String.init)
        expected.note(words[1] + " " + words[2], words[3])
      }
    }
    if isNamed {
      for id in ids {
        try await app.activate(id: id)
        try await onThread { [log] in _ = try log.append("end of \(id)") }
        _ = try await consumer.entries.first("the end of \(id)") { $0.event == "end of \(id)" }
      }
      // The end of this producer may arrive before the last events of others, of which the system tells a moment later.
      try await consumer.entries.wait(for: "all events") { Set($0.map(\.event)).isSuperset(of: expected.all.keys) }
      let texts = consumer.texts.filter { !$0.hasPrefix("end") }
      #expect(texts.count == 3 * count && expected.all.count == 3 * count)
    }
    #expect(consumer.failures.elements == [])
    #expect(!peers[0].events.elements.contains { $0.hasPrefix("failure ") })
    if isNamed { return }
    var found: [String: [String]] = [:]
    for id in ids {
      for text in try await world.texts(in: id) { found[text, default: []].append(id.uuidString) }
    }
    #expect(found.count == 3 * count)
    for (text, environment) in expected.all {
      let places = found[text] ?? []
      let isRight = places.count == 1 && (environment == "any" || places == [environment])
      #expect(isRight, "\(text) \(environment) \(places)")
    }
  }

  /// The environment in which each event is expected.
  private final class Expectations: Sendable {
    private let expected = Mutex<[String: String]>([:])

    func note(_ text: String, _ environment: String) { expected.withLock { $0[text] = environment } }

    var all: [String: String] { expected.withLock { $0 } }
  }

  @Test func `a process that dies while it switches leaves another process's log and consumer unchanged`() async throws
  {
    // A named consumer would let trimming remove what it has handled.
    let consumer = EntryRecorder(try log.newEvents())
    try log.append("0")
    for step in 1...12 {
      let peer = try PeerProcess()
      try await peer.send("env \(world.fixture.root.path)")
      try await peer.send("env-crash \(step)")
      do {
        try await peer.send("env-activate \(ids[1])")
      } catch PeerProcess.Failure.gone {
        // The crash was intended.
      }
      try await onThread { [log] in _ = try log.append("\(step)") }
      try await app.activate(id: ids[0])
    }
    var found: [Int] = []
    for id in ids { found += try await world.texts(in: id).compactMap(Int.init) }
    #expect(found.sorted() == Array(0...12))
    #expect(consumer.failures.elements == [])
  }
}
