import Signals
import SignalsTesting
import Testing

/// Each operator is compared with a plain reference, on random bursts and silences.
@Suite("Operators on time")
struct TimeReferenceTests {
  @Test(arguments: Timeline.samples, 1...4)
  func `debounce sends values that no other value follows soon`(input: Timeline, interval: Int) {
    var expected: [String] = []
    for (index, (second, value)) in input.values.enumerated() {
      let due = second + interval
      if index + 1 < input.values.count, input.values[index + 1].second <= due { continue }
      if let end = input.end, end.second <= due {
        if !end.isFailure { expected.append("\(value)@\(end.second)") }
      } else {
        expected.append("\(value)@\(due)")
      }
    }
    if let end = input.end { expected.append("\(end.isFailure ? "#" : "|")@\(end.second)") }
    #expect(input.run { $0.debounce(for: .seconds(interval), clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `throttle sends the first value and then the latest of each interval`(input: Timeline, interval: Int) {
    var end: Int?
    var pending: Int?
    let arrivals = Set(input.values.map(\.second))
    let expected = input.simulate { now, emit in
      guard let over = end, now >= over else { return }
      end = nil
      // A value that arrives at this moment replaces the waiting one.
      guard let value = pending.take(), !arrivals.contains(now) else { return }
      emit("\(value)")
      end = now + interval
    } value: { value, now, emit in
      if end == nil {
        emit("\(value)")
        end = now + interval
      } else {
        pending = value
      }
    } finish: { emit in
      if let pending { emit("\(pending)") }
    }
    #expect(input.run { $0.throttle(for: .seconds(interval), latest: true, clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `throttle without latest sends only the first value of each interval`(input: Timeline, interval: Int) {
    var end = 0
    let expected = input.simulate { _, _ in
    } value: { value, now, emit in
      guard now >= end else { return }
      emit("\(value)")
      end = now + interval
    } finish: { _ in
    }
    #expect(input.run { $0.throttle(for: .seconds(interval), latest: false, clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `delay delays everything except a failure`(input: Timeline, interval: Int) {
    var expected = input.values.map { "\($0.value)@\($0.second + interval)" }
    if let end = input.end, end.isFailure {
      // The failure precedes values that are due at the same moment.
      expected = input.values.filter { $0.second + interval < end.second }.map { "\($0.value)@\($0.second + interval)" }
      expected.append("#@\(end.second)")
    } else if let end = input.end {
      expected.append("|@\(end.second + interval)")
    }
    #expect(input.run { $0.delay(for: .seconds(interval), clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `timeout ends the signal at the first silence that is too long`(input: Timeline, interval: Int) {
    var expected: [String] = []
    var limit = interval
    for (second, value) in input.values where second <= limit {
      expected.append("\(value)@\(second)")
      limit = second + interval
    }
    if let end = input.end, end.second <= limit, expected.count == input.values.count {
      expected.append("\(end.isFailure ? "#" : "|")@\(end.second)")
    } else {
      expected.append("|@\(limit)")
    }
    #expect(input.run { $0.timeout(.seconds(interval), clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `collect sends the values of each interval as one array`(input: Timeline, interval: Int) {
    var values: [Int] = []
    let expected = input.simulate { now, emit in
      guard now % interval == 0, !values.isEmpty else { return }
      emit("\(values)")
      values = []
    } value: { value, _, _ in
      values.append(value)
    } finish: { emit in
      if !values.isEmpty { emit("\(values)") }
    }
    #expect(input.run { $0.collect(every: .seconds(interval), clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `collect with a count sends an array as soon as it is full`(input: Timeline, count: Int) {
    var values: [Int] = []
    let expected = input.simulate { now, emit in
      guard now % 3 == 0, !values.isEmpty else { return }
      emit("\(values)")
      values = []
    } value: { value, _, emit in
      values.append(value)
      guard values.count == count else { return }
      emit("\(values)")
      values = []
    } finish: { emit in
      if !values.isEmpty { emit("\(values)") }
    }
    #expect(input.run { $0.collect(every: .seconds(3), upTo: count, clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples, 1...4)
  func `sample sends the latest value of each interval`(input: Timeline, interval: Int) {
    var pending: Int?
    let expected = input.simulate { now, emit in
      guard now % interval == 0, let value = pending else { return }
      emit("\(value)")
      pending = nil
    } value: { value, _, _ in
      pending = value
    } finish: { emit in
      if let pending { emit("\(pending)") }
    }
    #expect(input.run { $0.sample(every: .seconds(interval), clock: $1) } == expected)
  }

  @Test(arguments: Timeline.samples)
  func `measureInterval sends the time since the previous value`(input: Timeline) {
    var last = 0
    var expected: [String] = []
    for (second, _) in input.values {
      expected.append("\(second - last)@\(second)")
      last = second
    }
    if let end = input.end { expected.append("\(end.isFailure ? "#" : "|")@\(end.second)") }
    #expect(input.run { $0.measureInterval(using: $1).map { $0.components.seconds } } == expected)
  }
}
