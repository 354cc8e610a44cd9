import Foundation
import Testing

/// Random programs on several threads, with callbacks that send, subscribe, cancel and end from inside.
///
/// `SIGNALS_SEED=n` runs one program many times over, since threads do not repeat themselves; `SIGNALS_TORTURE=1` runs
/// programs for minutes, or for as many seconds as it says if that is more than one.
@Suite("Adversarial: random programs", .serialized)
struct AdversarialTests {
  @Test func `no random program breaks a law of the core`() {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SIGNALS_SEED"].flatMap(UInt64.init) {
      for _ in 0..<500 where !runProgram(seed) { return }
      return
    }
    let torture = environment["SIGNALS_TORTURE"].flatMap(Double.init).map { $0 > 1 ? $0 : 300 }
    let start = Date()
    var nextReport = 10.0
    var seed = UInt64(start.timeIntervalSince1970 * 1000)
    var programs = 0
    while -start.timeIntervalSinceNow < torture ?? 3 {
      if !runProgram(seed) { return }
      seed &+= 1
      programs += 1
      if torture != nil, -start.timeIntervalSinceNow > nextReport {
        FileHandle.standardError.write(Data("\(programs) programs, next seed \(seed)\n".utf8))
        nextReport += 10
      }
    }
  }

  /// - Returns: Whether all was well.
  private func runProgram(_ seed: UInt64) -> Bool {
    var breaches: [String]
    let leftovers: () -> Int
    do {
      let world = World(seed: seed)
      breaches = world.run()
      leftovers = { [probes = world.probes] in probes.value }
    }
    // A worker thread may still be letting go of what it has run.
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
