import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Flags set by several processes")
struct ProcessTests {
  @Test(.patient)
  func `a flag set by one process is observed in another`() async throws {
    let directory = try TemporaryDirectory()
    let writer = try PeerProcess()
    let reader = try PeerProcess()
    for peer in [writer, reader] { _ = try await peer.send("tweaks \(directory.url.path)") }
    _ = try await reader.send("tweak-observe shop limit")
    _ = try await writer.send("tweak-set shop limit 7")
    try await reader.events.first("the flag") { $0 == "tweak 7" }
  }

  #if !canImport(Darwin)
    /// In its own process, because Foundation stores all user defaults whenever it stores any.
    @Test(.patient)
    func `a failure to store user defaults is an error, and the old values remain`() async throws {
      let directory = try TemporaryDirectory()
      let peer = try PeerProcess()
      // The name is a path relative to the settings folder in the home directory.
      let suite = String(repeating: "../", count: 32) + directory.url.path.dropFirst() + "/defaults"
      _ = try await peer.send("tweak-defaults \(suite)")
      _ = try await peer.send("tweak-set shop limit 1")
      let file = directory.file("defaults.plist")
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("tweak-set shop limit 2") }
      #expect(failure.map { "\($0)" }?.contains("could not be written") == true)
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("tweak-set shop other 2") }
      #expect(try await peer.send("tweak-history") == "limit=1 ordered")
    }
  #endif

  @Test(.patient)
  func `processes that set flags at random converge, and observe changes in the same order`() async throws {
    let directory = try TemporaryDirectory()
    let peers = try (0..<4).map { _ in try PeerProcess() }
    for peer in peers { _ = try await peer.send("tweaks \(directory.url.path)") }
    let start = ContinuousClock.now
    let time = Duration.seconds(min(Scale.tortureTime ?? 0, 60))
    var round = 0
    repeat {
      try await withThrowingTaskGroup { [round] group in
        for (index, peer) in peers.enumerated() {
          group.addTask {
            _ = try await peer.send("tweak-flip \(round * 4 + index + 1) \(Scale.count(50, torture: 200))")
          }
        }
        try await group.waitForAll()
      }
      // The file's current values reach all processes.
      let truth = try Self.truth(in: directory)
      #expect(!truth.isEmpty)
      for peer in peers {
        var history = ""
        let deadline = ContinuousClock.now + .seconds(240)
        repeat {
          history = try await peer.send("tweak-history")
          if history.hasPrefix(truth) { break }
          try await Task.sleep(for: .milliseconds(5))
        } while ContinuousClock.now < deadline
        #expect(history == truth + " ordered")
      }
      for flag in 0..<10 { try await expectOneOrder(of: "flag\(flag)", in: peers) }
      round += 1
      Scale.progress("flags: round \(round), \(start.duration(to: .now))")
    } while start.duration(to: .now) < time
  }

  private static func truth(in directory: TemporaryDirectory) throws -> String {
    let container = try AppGroupsContainer(directory: directory.url)
    let provider = SuiteTweakProvider(suite: try AppGroupsSuite(name: "tweaks.json", container: container))
    return try provider.table.value.ids.sorted().compactMap { id in
      try provider.tweak(feature: id.feature, variable: id.variable).map { "\(id.variable)=\($0.value)" }
    }
    .joined(separator: ",")
  }

  /// A process may skip outdated values, but two processes see their common values in the same order.
  private func expectOneOrder(of flag: String, in peers: [PeerProcess]) async throws {
    var orders: [[Substring]] = []
    for peer in peers { orders.append(try await peer.send("tweak-order \(flag)").split(separator: ",")) }
    for first in orders {
      for second in orders {
        let common = Set(first).intersection(second)
        #expect(first.filter(common.contains) == second.filter(common.contains))
      }
    }
  }
}
