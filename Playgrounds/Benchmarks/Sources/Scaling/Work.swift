import Dispatch

/// Prepared work that can be repeated and timed.
struct Work {
  /// The number of operations, such as deliveries, that one repetition makes.
  let operations: Int

  /// A Boolean value that indicates whether repetitions are so short that many of them are timed together.
  let isShort: Bool

  /// Does the work as often as requested, and returns the nanoseconds of the part that counts.
  private let run: (Int) throws -> Int

  /// Work that is timed as a whole, many repetitions together.
  static func repeated(operations: Int = 1, _ run: @escaping (Int) throws -> Void) -> Work {
    Work(operations: operations, isShort: true) { count in
      let start = DispatchTime.now().uptimeNanoseconds
      try run(count)
      return Int(DispatchTime.now().uptimeNanoseconds - start)
    }
  }

  /// Work that measures itself, one repetition at a time.
  static func single(operations: Int = 1, _ run: @escaping () throws -> Int) -> Work {
    Work(operations: operations, isShort: false) { _ in try run() }
  }

  private init(operations: Int, isShort: Bool, _ run: @escaping (Int) throws -> Int) {
    (self.operations, self.isShort, self.run) = (operations, isShort, run)
  }

  /// Measures for about a second, after a warm-up, and returns the median nanoseconds of one operation.
  func median() throws -> Double {
    let clock = ContinuousClock()
    var count = 1
    _ = try run(1)
    // One sample takes a millisecond or longer, so that reading the clock does not count.
    while isShort, try run(count) < 1_000_000, count < 1 << 20 { count *= 2 }
    var samples: [Double] = []
    let start = clock.now
    repeat {
      samples.append(Double(try run(count)) / Double(count * operations))
      let elapsed = start.duration(to: clock.now)
      if samples.count >= 5, elapsed > .milliseconds(700) { break }
    } while samples.count < 1_001
    return samples.sorted()[samples.count / 2]
  }
}

/// Returns the nanoseconds that a closure takes.
func nanoseconds(_ body: () throws -> Void) rethrows -> Int {
  let start = DispatchTime.now().uptimeNanoseconds
  try body()
  return Int(DispatchTime.now().uptimeNanoseconds - start)
}
