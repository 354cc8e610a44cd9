import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that follows a sealed value, and increments or replaces it when told to; it may be killed at any moment, and
/// another then goes on with its part.
final class Worker {
  /// What it does without end.
  enum Work {
    case increasing
    case replacing
  }

  let name: String
  private(set) var peer: PeerProcess

  /// How much of the tally is its own, as of when it last began.
  private(set) var base = 0

  private let start: () async throws -> PeerProcess

  /// Starts the process.
  ///
  /// - Parameter start: Starts a peer that has opened the value.
  init(_ name: String, start: @escaping () async throws -> PeerProcess) async throws {
    self.name = name
    self.start = start
    peer = try await start()
  }

  func work(_ work: Work, size: Int) async throws {
    switch work {
    case .increasing: try await peer.send("increase \(name) \(size)")
    case .replacing: try await peer.send("replace \(name) \(size) \(base)")
    }
  }

  /// How many changes the process has reported as done since it began.
  var done: Int {
    let line = peer.events.elements.last { $0.hasPrefix("done ") }
    return line.flatMap { Int($0.dropFirst(5)) } ?? 0
  }

  /// Ends the work, and tells how many changes were done since it began.
  func halt() async throws -> Int {
    try await peer.send("halt")
    let line = try await peer.events.first("the end of \(name)'s work", timeout: .seconds(60)) {
      $0.hasPrefix("halted ")
    }
    return Int(line.dropFirst(7)) ?? -1
  }

  /// Kills the process, and waits until nothing of it is left; what it reported is known then.
  func kill() async throws {
    try await peer.kill()
  }

  /// Lets another process go on.
  ///
  /// - Parameter tally: How much of what is stored is its own by now.
  func revive(tally: Int) async throws {
    base = tally
    peer = try await start()
  }
}
