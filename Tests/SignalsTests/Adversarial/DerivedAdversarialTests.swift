import Foundation
import TestSupport
import Testing

/// Random graphs of derived values, and threads that write, batch, read, observe and leave.
///
/// To run one of them again, or many, see ``runRandomPrograms(seconds:repetitions:until:_:)``.
@Suite("Adversarial: derived values", .serialized, .patient)
struct DerivedAdversarialTests {
  @Test func `no random graph mixes versions, loses a last value or leaks`() async {
    await runRandomPrograms(seconds: 3, repetitions: 500, runGraph)
  }

  /// - Returns: `true` if no law was broken.
  private func runGraph(_ seed: UInt64) -> Bool {
    let probes = Counter()
    var breaches = DerivedWorld(seed: seed, probes: probes).run()
    // A thread may still be releasing objects that it used.
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
