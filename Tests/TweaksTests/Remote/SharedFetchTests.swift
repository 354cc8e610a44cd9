import CLibrary
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Processes that ask a server together")
struct SharedFetchTests {
  private let directory: TemporaryDirectory
  private let server: HTTPServer
  private let asked: MutableProperty<[Visit]>

  /// A request that the server has received.
  private struct Visit: Sendable {
    var user: String
    var process: pid_t
    var time: ContinuousClock.Instant

    init?(_ request: HTTPServer.Request) {
      guard let match = request.line.firstMatch(of: /user=([a-z]+)&process=([0-9]+)/),
        let process = pid_t(match.2)
      else { return nil }
      (user, self.process, time) = (String(match.1), process, .now)
    }
  }

  init() throws {
    let asked = MutableProperty<[Visit]>([])
    (directory, self.asked) = (try TemporaryDirectory(), asked)
    server = try HTTPServer { Self.answer($0, asked) }
  }

  /// Returns an answer whose value names the user, and its number.
  private static func answer(_ request: HTTPServer.Request, _ asked: MutableProperty<[Visit]>) -> HTTPServer.Action {
    guard let visit = Visit(request) else { return .respond(400) }
    let count = asked.modify { asked in
      asked.append(visit)
      return asked.count
    }
    return .respond(200, body: #"{"f": {"v": {"Value": "\#(visit.user) \#(count)"}}}"#)
  }

  private func start(_ user: String, every milliseconds: Int) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("remote-share \(directory.url.path) \(server.url.absoluteString) \(user) \(milliseconds)")
    return peer
  }

  /// Returns the values that a process has shown, without those of its start.
  private func values(_ peer: PeerProcess) -> [String] {
    peer.events.elements.compactMap { $0.wholeMatch(of: /value (.*)/)?.1 }.map(String.init).filter { $0 != "nothing" }
  }

  @Test(.patient)
  func `eight processes send one request for each user and interval, and all show the answer`() async throws {
    let interval = 200
    var peers: [(user: String, peer: PeerProcess)] = []
    for number in 0..<8 {
      let user = number < 5 ? "anna" : "ben"
      peers.append((user, try await start(user, every: interval)))
    }
    try await asked.firstValue("ten requests of each user") { asked in
      ["anna", "ben"].allSatisfy { user in asked.count { $0.user == user } >= 10 }
    }
    for (user, peer) in peers {
      try await peer.events.wait(for: "several answers") { events in
        events.count { $0.hasPrefix("value \(user) ") } >= 3
      }
      // No answer of the other user is shown.
      #expect(values(peer).allSatisfy { $0.hasPrefix(user) })
      #expect(peer.events.elements.filter { $0.hasPrefix("failure") } == [])
    }
    for user in ["anna", "ben"] {
      let visits = asked.value.filter { $0.user == user }
      for (earlier, later) in zip(visits, visits.dropFirst()) {
        // The wall clock and the monotonic clock may differ by a little.
        #expect(later.time - earlier.time > .milliseconds(interval - 20), "\(earlier), \(later)")
      }
    }
  }

  @Test(.patient)
  func `if the process that asks is killed, another one asks at the next interval`() async throws {
    let gate = Gate()
    defer { gate.open() }
    var peers: [PeerProcess] = []
    for _ in 0..<4 { peers.append(try await start("anna", every: 300)) }
    for _ in 0..<Scale.count(5, torture: 50) {
      // The next request gets no answer.
      let victim = MutableProperty<Visit?>(nil)
      server.answer { [asked] request in
        guard let visit = Visit(request) else { return .respond(400) }
        let isFirst = victim.modify { victim in
          defer { victim = victim ?? visit }
          return victim == nil
        }
        return isFirst ? .wait(gate, status: 500) : Self.answer(request, asked)
      }
      let killed = try #require(try await victim.firstValue("a request") { $0 != nil } ?? nil)
      let count = asked.value.count
      let index = try #require(peers.firstIndex { $0.identifier == killed.process })
      kill(killed.process, SIGKILL)
      peers.remove(at: index)
      peers.append(try await start("anna", every: 300))
      let next = try await asked.firstValue("the request of another process") { $0.count > count }
      let successor = try #require(next.dropFirst(count).first)
      #expect(successor.process != killed.process)
      // Without the end of the lock, its time limit of a minute would have to pass.
      #expect(successor.time - killed.time < .seconds(30))
      for peer in peers {
        try await peer.events.wait(for: "the answer") { events in
          events.contains { $0.split(separator: " ").last.flatMap { Int($0) } ?? 0 > count }
        }
        #expect(values(peer).allSatisfy { $0.hasPrefix("anna ") })
      }
    }
  }
}
