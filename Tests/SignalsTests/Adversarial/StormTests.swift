import Foundation
import TestSupport
import Testing

/// Random programs that attach, cancel, send, end and release at the same time, on threads that are paused at random.
///
/// To run one of them again, or many, see ``runRandomPrograms(seconds:repetitions:until:_:)``. A release build finds
/// faults that a debug build cannot show: run `.ci/torture`.
@Suite("Adversarial: lifetimes", .serialized, .patient)
struct StormTests {
  @Test func `no random program uses a released object, leaks one or overlaps calls`() async {
    let calls = Counter()
    await runRandomPrograms(seconds: 3, repetitions: 500) { runStorm($0, calls) }
    Scale.progress("\(calls.value) values received")
  }

  /// - Returns: `true` if no law was broken.
  private func runStorm(_ seed: UInt64, _ calls: Counter) -> Bool {
    let storm = Storm(seed: seed)
    var breaches = storm.run()
    // A thread may still be releasing objects that it used.
    for _ in 0..<100 where storm.alive.value != 0 { Thread.sleep(forTimeInterval: 0.01) }
    if storm.alive.value != 0 { breaches.append("law 4: \(storm.alive.value) objects are still alive") }
    calls.add(storm.calls.value)
    if breaches.isEmpty { return true }
    Issue.record(
      """
      Storm \(seed) broke the law. Run it again with: SIGNALS_SEED=\(seed) swift test --filter StormTests
      \(breaches.joined(separator: "\n"))
      """
    )
    return false
  }
}
