import Foundation
import Signals
import Testing

@testable import Cluster

@Suite("The watch of a namespace, as a state machine")
struct WatchMachineTests {
  private var machine = WatchMachine(
    namespace: "fleet", patience: .seconds(10),
    pauses: EndpointPauses(.exponential(from: .seconds(1), upTo: .seconds(8)), endpoints: 2))
  private var now = ContinuousClock.now

  private mutating func handle(_ event: WatchMachine.Event) -> [String] {
    machine.handle(event, now: now).map(Self.words)
  }

  /// A short text for each action, which tests compare.
  private static func words(_ action: WatchMachine.Action) -> String {
    switch action {
    case .read: "read"
    case .open(_, let revision): "open \(revision)"
    case .close: "close"
    case .set(_, let timer, let pause): "\(timer) in \(pause.inSeconds)"
    case .ask: "ask"
    case .rotate: "rotate"
    case .beginEra: "era"
    case .apply(let snapshot): "apply \(snapshot.header.revision)"
    case .deliver(let events): "deliver \(events.map(\.entry.modRevision))"
    case .show(.connecting): "connecting"
    case .show(.current): "current"
    case .show(.broken): "broken"
    case .report: "report"
    case .moved(let position, let known): "at \(position) of \(known)"
    case .reconnected: "reconnected"
    }
  }

  private static let lost = ClusterError.unreachable(endpoints: ["m0"], reason: "gone")

  private func snapshot(_ revision: Int64, cluster: UInt64 = 1) -> KeySnapshot {
    KeySnapshot(header: EtcdHeader(clusterID: cluster, revision: revision), entries: [:], era: machine.era)
  }

  private func created(_ revision: Int64, cluster: UInt64 = 1) -> WatchMessage {
    var message = WatchMessage()
    message.isCreated = true
    message.header = EtcdHeader(clusterID: cluster, revision: revision)
    return message
  }

  private func events(_ revisions: [Int64], of revision: Int64) -> WatchMessage {
    var message = WatchMessage()
    message.header = EtcdHeader(clusterID: 1, revision: revision)
    message.events = revisions.map { WatchEvent(EtcdEntry(key: Data(), modRevision: $0)) }
    return message
  }

  private func canceled(compacted: Int64 = 0, reason: String = "") -> WatchMessage {
    var message = WatchMessage()
    message.isCanceled = true
    message.compactRevision = compacted
    message.cancelReason = reason
    return message
  }

  private func message(_ message: WatchMessage) -> WatchMachine.Event { .message(machine.generation, message) }

  /// Follows from a revision on.
  private mutating func follow(from revision: Int64 = 10) {
    _ = handle(.start)
    _ = handle(.read(machine.generation, snapshot(revision)))
    _ = handle(message(created(revision)))
  }

  // MARK: The usual course

  @Test mutating func `the keys are read first, and events are requested from the next revision on`() {
    #expect(handle(.start) == ["connecting", "read"])
    #expect(handle(.start) == [])
    #expect(
      handle(.read(machine.generation, snapshot(10))) == ["apply 10", "at 10 of 10", "open 11", "silence in 10.0"])
    #expect(handle(message(created(10))) == ["current"])
    #expect(handle(message(events([11, 12], of: 12))) == ["deliver [11, 12]", "at 12 of 12"])
  }

  @Test mutating func `results of an earlier read or stream change nothing`() {
    follow()
    let old = machine.generation
    _ = handle(.ended(old, Self.lost))
    #expect(handle(.message(old, events([11], of: 11))) == [])
    #expect(handle(.ended(old, Self.lost)) == [])
    #expect(handle(.read(old, snapshot(50))) == [])
    #expect(machine.position == 10)
  }

  @Test mutating func `nothing is followed any more after the last key was closed`() {
    follow()
    #expect(handle(.stop) == ["close"])
    #expect(handle(.timer(machine.generation, .silence)) == [])
    #expect(handle(.start) == ["connecting", "read"])
  }

  // MARK: The eleven cases

  @Test mutating func `case 1: after a compaction the keys are read again`() {
    follow()
    _ = handle(.ended(machine.generation, Self.lost))
    #expect(handle(.timer(machine.generation, .retry)) == ["open 11", "silence in 10.0"])
    #expect(handle(message(created(300))) == ["settled in 0.3"])
    #expect(handle(message(canceled(compacted: 300))) == ["close", "connecting", "read"])
    #expect(handle(.read(machine.generation, snapshot(301)))[0] == "apply 301")
    #expect(handle(message(created(301))) == ["reconnected", "current"])
  }

  @Test mutating func `case 2: a watch that is canceled on an open connection is opened again, with a new token`() {
    follow()
    #expect(handle(message(canceled(reason: "invalid auth token"))) == ["close", "read"])
    _ = handle(.read(machine.generation, snapshot(12)))
    #expect(handle(message(created(12))) == ["reconnected", "current"])
  }

  @Test mutating func `a watch that is canceled again and again lacks a permission, and is retried with pauses`() {
    _ = handle(.start)
    _ = handle(.read(machine.generation, snapshot(10)))
    var refused = created(10)
    refused.watchID = -1
    #expect(handle(message(refused)) == [])
    #expect(handle(message(canceled())) == ["close", "read"])
    _ = handle(.read(machine.generation, snapshot(10)))
    #expect(handle(message(canceled())) == ["close", "rotate", "broken", "report", "retry in 0.0"])
    #expect(handle(.timer(machine.generation, .retry)) == ["read"])
    _ = handle(.read(machine.generation, snapshot(10)))
    #expect(handle(message(canceled())).last == "retry in 1.0")
  }

  @Test mutating func `case 3: a cluster that was restored begins a new era`() {
    follow(from: 100)
    _ = handle(.ended(machine.generation, Self.lost))
    _ = handle(.timer(machine.generation, .retry))
    #expect(handle(message(created(40))) == ["ask"])
    #expect(handle(.alive(machine.generation, EtcdHeader(clusterID: 1, revision: 40))) == ["close", "read"])
    let actions = handle(.read(machine.generation, snapshot(40)))
    #expect(actions.prefix(4) == ["report", "era", "apply 40", "at 40 of 40"])
    #expect(machine.era == 1)
    #expect(handle(message(created(40))) == ["reconnected", "current"])
  }

  @Test mutating func `case 3: another cluster at the same address begins a new era`() {
    follow(from: 100)
    _ = handle(.ended(machine.generation, Self.lost))
    _ = handle(.timer(machine.generation, .retry))
    #expect(handle(message(created(500, cluster: 2))) == ["close", "read"])
    #expect(handle(.read(machine.generation, snapshot(501, cluster: 2))).prefix(2) == ["report", "era"])
  }

  @Test mutating func `a member that is behind is no restored cluster`() {
    follow(from: 100)
    _ = handle(.ended(machine.generation, Self.lost))
    _ = handle(.timer(machine.generation, .retry))
    #expect(handle(message(created(98))) == ["ask"])
    #expect(
      handle(.alive(machine.generation, EtcdHeader(clusterID: 1, revision: 102))) == ["reconnected", "current"])
    #expect(machine.era == 0)
  }

  @Test mutating func `case 4: a silent member is asked, and another one is tried if it does not answer`() {
    follow()
    now += .seconds(4)
    #expect(handle(message(events([11], of: 11))) == ["deliver [11]", "at 11 of 11"])
    now += .seconds(6)
    #expect(handle(.timer(machine.generation, .silence)) == ["silence in 4.0"])
    now += .seconds(4)
    #expect(handle(.timer(machine.generation, .silence)) == ["ask", "silence in 10.0"])
    #expect(
      handle(.notAlive(machine.generation, Self.lost)) == ["close", "rotate", "broken", "report", "retry in 0.0"])
  }

  @Test mutating func `a silent member that is alive stays`() {
    follow()
    now += .seconds(10)
    #expect(handle(.timer(machine.generation, .silence)) == ["ask", "silence in 10.0"])
    #expect(handle(.alive(machine.generation, EtcdHeader(clusterID: 1, revision: 20))) == [])
    now += .seconds(9)
    #expect(handle(.timer(machine.generation, .silence)) == ["silence in 1.0"])
  }

  @Test mutating func `a member that is alive but does not open the stream is left`() {
    _ = handle(.start)
    _ = handle(.read(machine.generation, snapshot(10)))
    now += .seconds(10)
    #expect(handle(.timer(machine.generation, .silence)) == ["ask", "silence in 10.0"])
    let answer = handle(.alive(machine.generation, EtcdHeader(clusterID: 1, revision: 10)))
    #expect(answer == ["close", "rotate", "broken", "report", "retry in 0.0"])
  }

  @Test mutating func `case 5: the position is the last delivered revision, not that of an answer`() {
    follow()
    #expect(handle(message(events([11], of: 90))) == ["deliver [11]", "at 11 of 90"])
    now += .seconds(10)
    _ = handle(.timer(machine.generation, .silence))
    _ = handle(.alive(machine.generation, EtcdHeader(clusterID: 1, revision: 95)))
    _ = handle(.ended(machine.generation, Self.lost))
    #expect(handle(.timer(machine.generation, .retry)) == ["open 12", "silence in 10.0"])
  }

  @Test mutating func `case 6: progress notifications advance the position of an idle watch`() {
    follow()
    #expect(handle(message(events([], of: 400))) == ["at 400 of 400", "silence in 10.0"])
    _ = handle(.ended(machine.generation, Self.lost))
    #expect(handle(.timer(machine.generation, .retry)) == ["open 401", "silence in 10.0"])
  }

  @Test mutating func `case 11: without the cluster, attempts follow each other with growing pauses`() {
    follow()
    var pauses: [String] = []
    for _ in 1...6 {
      pauses.append(handle(.ended(machine.generation, Self.lost)).last ?? "")
      _ = handle(.timer(machine.generation, .retry))
    }
    let zero = "retry in 0.0"
    #expect(pauses == [zero, "retry in 1.0", zero, "retry in 2.0", zero, "retry in 4.0"])
  }

  @Test mutating func `a read that failed is repeated, because there is no position yet`() {
    _ = handle(.start)
    #expect(handle(.notRead(machine.generation, Self.lost)).last == "retry in 0.0")
    #expect(handle(.timer(machine.generation, .retry)) == ["read"])
  }

  @Test mutating func `a read that failed is repeated, although there is a position from earlier`() {
    follow()
    _ = handle(.stop)
    #expect(handle(.start) == ["connecting", "read"])
    _ = handle(.notRead(machine.generation, Self.lost))
    #expect(handle(.timer(machine.generation, .retry)) == ["read"])
    _ = handle(.read(machine.generation, snapshot(20)))
    _ = handle(.ended(machine.generation, Self.lost))
    #expect(handle(.timer(machine.generation, .retry)).first == "open 21")
  }

  @Test mutating func `a message that is too long is skipped by reading the keys again`() {
    follow()
    let error = ClusterError.messageTooLarge(endpoint: "m0", limit: 8)
    #expect(handle(.tooLong(machine.generation, error)) == ["close", "report", "read"])
  }

  @Test mutating func `events that were missed arrive before the values count as current`() {
    follow()
    _ = handle(.ended(machine.generation, Self.lost))
    _ = handle(.timer(machine.generation, .retry))
    #expect(handle(message(created(14))) == ["settled in 0.3"])
    #expect(
      handle(message(events([12, 14], of: 14))) == ["deliver [12, 14]", "at 14 of 14", "reconnected", "current"])
    #expect(handle(.timer(machine.generation, .settled)) == [])
  }
}
