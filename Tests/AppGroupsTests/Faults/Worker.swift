import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that follows a sealed value, and increments or replaces it when told to; it may be killed at any moment,
/// and another then goes on with its part.
final class Worker {
  /// What it does without end.
  enum Work {
    case increasing
    case replacing
  }

  let name: String
  private(set) var peer: PeerProcess

  /// How much of the tally is its own, as of when it began to work.
  private(set) var base = 0

  /// Where in the events the present work begins, and how often work has ended.
  private var mark = 0
  private var halts = 0

  private let start: () async throws -> PeerProcess

  /// Starts the process; `start` starts a peer that has opened the value.
  init(_ name: String, start: @escaping () async throws -> PeerProcess) async throws {
    self.name = name
    self.start = start
    peer = try await start()
  }

  func work(_ work: Work, size: Int) async throws {
    mark = peer.events.elements.count
    switch work {
    case .increasing: try await peer.send("increase \(name) \(size)")
    case .replacing: try await peer.send("replace \(name) \(size) \(base)")
    }
  }

  /// How many changes the process has reported as done since the work began.
  var done: Int {
    let line = peer.events.elements.dropFirst(mark).last { $0.hasPrefix("done ") }
    return line.flatMap { Int($0.dropFirst(5)) } ?? 0
  }

  /// Ends the work; what was done is the worker's own from now on.
  ///
  /// - Returns: How many changes were done since the work began.
  /// - Throws: If the work does not end, because the process waits for something that does not come.
  @discardableResult
  func halt() async throws -> Int {
    halts += 1
    try await peer.send("halt \(halts)")
    let start = "halted \(halts) "
    let line = try await peer.events.first("the end of \(name)'s work", timeout: .seconds(240)) { $0.hasPrefix(start) }
    let count = Int(line.dropFirst(start.count)) ?? -1
    base += count
    return count
  }

  /// Begins to count anew, because what is stored does.
  func reset() {
    base = 0
  }

  /// Kills the process, and waits until nothing of it is left; what it reported is known then.
  func kill() async throws {
    try await peer.kill()
  }

  /// Lets another process go on, with as much of what is stored as its own.
  func revive(tally: Int) async throws {
    base = tally
    mark = 0
    halts = 0
    peer = try await start()
  }
}
