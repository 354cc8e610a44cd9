import Signals
import SignalsTesting
import TestSupport

/// The values of a signal and their times, in seconds.
struct Timeline: Sendable, CustomStringConvertible {
  var values: [(second: Int, value: Int)] = []
  var end: (second: Int, isFailure: Bool)?

  var description: String {
    values.map { "\($0.value)@\($0.second)" }.joined(separator: " ")
      + (end.map { " \($0.isFailure ? "#" : "|")@\($0.second)" } ?? "")
  }

  /// Bursts and silences; some finish, some fail, some do not end.
  static let samples: [Timeline] = (0..<60).map { seed in
    var chance = Chance(seed: UInt64(seed))
    var timeline = Timeline()
    var second = 0
    for value in 0..<chance.number(below: 20) {
      second += [0, 1, 1, 2, 3, 7].randomElement(using: &chance) ?? 0
      timeline.values.append((second, value))
    }
    switch chance.number(below: 3) {
    case 0: timeline.end = (second + chance.number(below: 6), false)
    case 1: timeline.end = (second + chance.number(below: 6), true)
    default: break
    }
    return timeline
  }

  /// Sends the timeline through `shape` and returns the output with its times; "|" is the end and "#" a failure.
  func run<Output: Sendable>(
    through shape: (Emitter<Int, Mishap>, TestClock) -> some Signal<Output, Mishap>
  ) -> [String] {
    let clock = TestClock()
    let emitter = Emitter<Int, Mishap>()
    var tokens = values.map { second, value in
      clock.schedule(at: .init(offset: .seconds(second))) { emitter.send(value) }
    }
    if let end {
      tokens.append(
        clock.schedule(at: .init(offset: .seconds(end.second))) {
          emitter.send(completion: end.isFailure ? .failure(.fire) : .finished)
        }
      )
    }
    let log = Log<String>()
    let note = { @Sendable (text: String) in log.add("\(text)@\(clock.now.offset.components.seconds)") }
    let subscription = shape(emitter, clock).sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: note("|")
        case .failure: note("#")
        }
      },
      receiveValue: { note("\($0)") }
    )
    clock.run(limit: 10_000)
    withExtendedLifetime((subscription, tokens)) {}
    return log.entries
  }

  /// Simulates the timeline second by second: a plain reference for operators whose intervals end before the values of
  /// that moment.
  ///
  /// - Parameters:
  ///   - second: Called at the beginning of each second, unless only a failure happens in it.
  ///   - value: Called with each value.
  ///   - finish: Called if the timeline finishes, before the end is recorded.
  /// - Returns: The emitted values with their times.
  func simulate(
    second: (_ now: Int, _ emit: (String) -> Void) -> Void,
    value: (_ value: Int, _ now: Int, _ emit: (String) -> Void) -> Void,
    finish: (_ emit: (String) -> Void) -> Void
  ) -> [String] {
    var output: [String] = []
    let last = (values.last?.second ?? 0) + 20
    for now in 0...max(last, (end?.second ?? 0)) {
      let emit = { (text: String) in output.append("\(text)@\(now)") }
      let coming = values.filter { $0.second == now }
      let isEnd = end?.second == now
      if !(coming.isEmpty && isEnd) { second(now, emit) }
      for next in coming { value(next.value, now, emit) }
      guard isEnd, let end else { continue }
      if end.isFailure {
        emit("#")
      } else {
        finish(emit)
        emit("|")
      }
      break
    }
    return output
  }
}
