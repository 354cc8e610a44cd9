import Foundation
import TestSupport
import Testing

/// Random programs on several threads, with callbacks that send, subscribe, cancel and end from inside.
///
/// To run one of them again, or many, see ``runRandomPrograms(seconds:repetitions:until:_:)``.
@Suite("Adversarial: random programs", .serialized, .patient)
struct AdversarialTests {
  @Test func `no random program breaks a law of the core`() async {
    await runRandomPrograms(seconds: 3, repetitions: 500, runProgram)
  }

  /// - Returns: `true` if no law was broken.
  private func runProgram(_ seed: UInt64) -> Bool {
    var breaches: [String]
    let leftovers: () -> Int
    do {
      let world = World(seed: seed)
      breaches = world.run()
      leftovers = { [probes = world.probes] in probes.value }
    }
    // A worker thread may still be releasing objects that it used.
    for _ in 0..<100 where leftovers() != 0 { Thread.sleep(forTimeInterval: 0.01) }
    if leftovers() != 0 { breaches.append("law 4: \(leftovers()) objects are still alive") }
    if breaches.isEmpty { return true }
    let list = breaches.prefix(10).joined(separator: "\n")
    Issue.record(
      """
      Program \(seed) broke the law. Run it again with: SIGNALS_SEED=\(seed) swift test --filter AdversarialTests
      \(list)
      """
    )
    return false
  }
}
