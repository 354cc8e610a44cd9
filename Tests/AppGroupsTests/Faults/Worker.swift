import CLibrary
import TestSupport

/// A process that follows a sealed value, and increments or replaces it on request.
///
/// It may be killed at any moment; another process then continues its part.
final class Worker {
  /// The endless work of a process.
  enum Work {
    case increasing
    case replacing
  }

  let name: String
  private(set) var peer: PeerProcess

  /// The worker's own part of the tally when its work began.
  private(set) var base = 0

  /// The index of the event at which the current work begins, and the number of works ended.
  private var mark = 0
  private var halts = 0

  private let start: () async throws -> PeerProcess

  /// Starts the process.
  ///
  /// `start` starts a peer that has opened the value.
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

  /// The number of changes that the process has reported since its work began.
  var done: Int {
    let line = peer.events.elements.dropFirst(mark).last { $0.hasPrefix("done ") }
    return line.flatMap { Int($0.dropFirst(5)) } ?? 0
  }

  /// Ends the work, and adds its changes to the worker's own.
  ///
  /// - Returns: The number of changes since the work began.
  /// - Throws: An error if the work does not end, because the process hangs.
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

  /// Resets the count together with the stored value.
  func reset() {
    base = 0
  }

  /// Kills the process and waits for its end, after which all its reports are known.
  func kill() async throws {
    try await peer.kill()
  }

  /// Lets another process continue, with the given part of the stored value as its own.
  func revive(tally: Int) async throws {
    base = tally
    mark = 0
    halts = 0
    peer = try await start()
  }
}
