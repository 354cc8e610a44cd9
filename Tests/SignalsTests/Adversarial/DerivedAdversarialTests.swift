import Foundation
import Testing

/// Random graphs of derived values, and threads that write, batch, read, observe and leave.
///
/// `SIGNALS_SEED` and `SIGNALS_TORTURE` mean what they do in ``AdversarialTests``.
@Suite("Adversarial: derived values", .serialized)
struct DerivedAdversarialTests {
  @Test func `no random graph shows a mixture, loses a last value or keeps what is over`() {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SIGNALS_SEED"].flatMap(UInt64.init) {
      for _ in 0..<500 where !runGraph(seed) { return }
      return
    }
    let torture = environment["SIGNALS_TORTURE"].flatMap(Double.init).map { $0 > 1 ? $0 : 300 }
    let start = Date()
    var nextReport = 10.0
    var seed = UInt64(start.timeIntervalSince1970 * 1000)
    var graphs = 0
    while -start.timeIntervalSinceNow < torture ?? 3 {
      if !runGraph(seed) { return }
      seed &+= 1
      graphs += 1
      if torture != nil, -start.timeIntervalSinceNow > nextReport {
        FileHandle.standardError.write(Data("\(graphs) graphs, next seed \(seed)\n".utf8))
        nextReport += 10
      }
    }
  }

  /// - Returns: Whether all was well.
  private func runGraph(_ seed: UInt64) -> Bool {
    let probes = Counter()
    var breaches = DerivedWorld(seed: seed, probes: probes).run()
    // A thread may still be letting go of what it has run.
    for _ in 0..<100 where probes.value != 0 { Thread.sleep(forTimeInterval: 0.01) }
    if probes.value != 0 { breaches.append("law 4: \(probes.value) objects are still alive") }
    if breaches.isEmpty { return true }
    let list = breaches.prefix(10).joined(separator: "\n")
    Issue.record(
      """
      Graph \(seed) broke the law. Run it again with: SIGNALS_SEED=\(seed) swift test --filter DerivedAdversarialTests
      \(list)
      """
    )
    return false
  }
}
