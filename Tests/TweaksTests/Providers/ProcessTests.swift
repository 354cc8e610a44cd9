import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Flags that several processes set")
struct ProcessTests {
  @Test(.patient)
  func `a flag that one process sets is in force in another`() async throws {
    let directory = try TemporaryDirectory()
    let writer = try PeerProcess()
    let reader = try PeerProcess()
    for peer in [writer, reader] { _ = try await peer.send("tweaks \(directory.url.path)") }
    _ = try await reader.send("tweak-observe shop limit")
    _ = try await writer.send("tweak-set shop limit 7")
    try await reader.events.first("the flag") { $0 == "tweak 7" }
  }

  @Test(.patient)
  func `processes that set flags at random agree in the end, and see each one's numbers in order`() async throws {
    let directory = try TemporaryDirectory()
    let peers = try (0..<4).map { _ in try PeerProcess() }
    for peer in peers { _ = try await peer.send("tweaks \(directory.url.path)") }
    let rounds = Scale.isTorture ? 60 : 1
    for round in 0..<rounds {
      try await withThrowingTaskGroup { group in
        for (index, peer) in peers.enumerated() {
          group.addTask {
            _ = try await peer.send("tweak-flip \(round * 4 + index + 1) \(Scale.isTorture ? 1_000 : 50)")
          }
        }
        try await group.waitForAll()
      }
      // What the file says now reaches all.
      let container = try AppGroupsContainer(directory: directory.url)
      let suite = try AppGroupsSuite(name: "tweaks.json", container: container)
      let provider = SuiteTweakProvider(suite: suite)
      let truth = try provider.tweakIDs.sorted().compactMap { id in
        try provider.tweak(feature: id.feature, variable: id.variable).map { "\(id.variable)=\($0.value)" }
      }
      .joined(separator: ",")
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
      if Scale.isTorture { print("flags: round \(round + 1) of \(rounds)") }
    }
  }
}
