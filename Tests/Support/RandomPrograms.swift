import Foundation

/// Runs random programs, each from its own seed, until one fails or the time is over.
///
/// `SIGNALS_SEED=n` runs one program many times, because the schedules of threads and processes are not repeatable.
/// `SIGNALS_TORTURE=1` runs programs for minutes, and a larger number for as many seconds.
///
/// - Parameters:
///   - seconds: The usual duration.
///   - repetitions: The number of runs of the program of `SIGNALS_SEED`.
///   - isEffective: Returns `false` while the programs have not done yet what they are to test. On a busy machine, more
///     programs then run, for at most two minutes.
///   - run: Runs the program of a seed, and returns `true` if it succeeded.
public func runRandomPrograms(
  seconds: Double,
  repetitions: Int,
  until isEffective: () -> Bool = { true },
  _ run: (_ seed: UInt64) async throws -> Bool
) async rethrows {
  if let seed = Scale.seed {
    for _ in 0..<repetitions {
      guard try await run(seed) else { return }
    }
    return
  }
  let start = ContinuousClock.now
  let end = start + .seconds(Scale.tortureTime ?? seconds)
  var seed = UInt64(Date().timeIntervalSince1970 * 1000)
  var programs = 0
  var nextReport = start + .seconds(10)
  let last = max(end, start + .seconds(120))
  while ContinuousClock.now < end || (!isEffective() && ContinuousClock.now < last) {
    guard try await run(seed) else { return }
    // Tests that wait for servers and clocks must not wait for minutes of programs.
    await Task.yield()
    seed &+= 1
    programs += 1
    if ContinuousClock.now > nextReport {
      Scale.progress("\(programs) random programs, next seed \(seed)")
      nextReport = .now + .seconds(10)
    }
  }
}
