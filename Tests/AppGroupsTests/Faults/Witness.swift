import AppGroups
import FileSignals
import Signals
import TestSupport

/// An observer of a sealed value, in this process or another, that reports its observations in lines.
struct Witness {
  let name: String
  let reports: Recorder<String>

  /// Sends it a command for its ``Follower``.
  let tell: (_ command: String) async throws -> Void

  /// A subscriber in this process.
  static func here(_ name: String, _ file: AppGroupsFile<Sealed>, _ subscriptions: inout Set<SignalSubscription>)
    -> Witness
  {
    let reports = Recorder<String>()
    let follower = Follower { reports.record($0) }
    file.sink { follower.take($0) }.store(in: &subscriptions)
    file.status.sink { reports.record("status \($0)") }.store(in: &subscriptions)
    file.failures.sink { reports.record("failure \($0)") }.store(in: &subscriptions)
    file.health.sink { reports.record("health \($0)") }.store(in: &subscriptions)
    return Witness(name: name, reports: reports) { command in
      let words = command.split(separator: " ")
      switch words[0] {
      case "expect": follower.expect(epoch: Int(words[1]) ?? -1, count: Int(words[2]) ?? -1)
      default: follower.setLawful(words[1] == "1")
      }
    }
  }

  /// A peer that follows.
  static func there(_ name: String, _ peer: PeerProcess) -> Witness {
    Witness(name: name, reports: peer.events) { try await peer.send($0) }
  }

  /// Waits until the last value received has this epoch and count.
  func converge(epoch: Int, count: Int) async throws {
    let mark = reports.elements.count
    try await tell("expect \(epoch) \(count)")
    let line = "reached \(epoch) \(count)"
    try await reports.wait(for: "\(name) to see epoch \(epoch), count \(count)", timeout: .seconds(240)) {
      $0.dropFirst(mark).contains(line)
    }
  }

  /// Waits for a report after a mark.
  func report(after mark: Int, _ start: String, containing text: String) async throws {
    try await reports.wait(for: "\(name) to report \(start) … \(text)", timeout: .seconds(240)) { lines in
      lines.dropFirst(mark).contains { $0.hasPrefix(start) && $0.contains(text) }
    }
  }

  var breaches: [String] {
    reports.elements.filter { $0.hasPrefix("breach") }.map { "\(name): \($0)" }
  }
}
