import AppGroups
import Foundation

/// The state of a log over time, from which lag and rates are computed.
struct ReadLog {
  private let inspection: LogInspection
  private(set) var state = LogInspection.State()

  /// The observations of one consumer.
  private struct Memory {
    var handled: UInt64
    var lag: Int
    var advanced: ContinuousClock.Instant
    var state = InspectedLog.State.unknown
    var changed: ContinuousClock.Instant
    var rate = RateCounter()
  }

  private var memories: [String: Memory] = [:]

  /// Opens a log.
  init(name: String, in directory: URL) throws {
    inspection = try LogInspection(name: name, in: directory)
  }

  /// A Boolean value that indicates whether the log is still the one at its path.
  var isInPlace: Bool { get throws { try inspection.isInPlace } }

  /// The number of events that were ever appended.
  var end: UInt64 { state.producers.lazy.map(\.end).saturatedSum }

  /// Reads the state.
  mutating func read() { state = inspection.state() }

  /// Returns the details at a moment.
  mutating func details(_ locks: inout InspectedLocks, at now: ContinuousClock.Instant) -> InspectedLog {
    let producers = state.producers.map { producer in
      let holder = locks.holder(of: producer.tail)
      let first = producer.first == 0 ? 0 : producer.first - 1
      return InspectedLog.Producer(
        id: producer.id.uuidString.lowercased(), segments: producer.segments, bytes: producer.bytes,
        events: "\(producer.end >= first ? producer.end - first : 0)", end: "\(producer.end)", active: holder != nil,
        pid: holder?.pid, process: holder?.process, last: producer.date)
    }
    let consumers = state.consumers.map { consumer(of: $0, &locks, now) }
    memories = memories.filter { name, _ in state.consumers.contains { $0.name == name } }
    return InspectedLog(
      last: state.producers.compactMap(\.date).max(), bytes: state.producers.lazy.map(\.bytes).saturatedSum,
      events: "\(producers.lazy.compactMap { UInt64($0.events) }.saturatedSum)", end: "\(end)", producers: producers,
      consumers: consumers)
  }

  private mutating func consumer(
    of consumer: LogInspection.Consumer, _ locks: inout InspectedLocks, _ now: ContinuousClock.Instant
  ) -> InspectedLog.Consumer {
    let holder = locks.holder(of: consumer.lock)
    var details = InspectedLog.Consumer(
      name: consumer.name, state: .unknown, end: "\(end)", running: holder != nil, pid: holder?.pid,
      process: holder?.process, active: consumer.saved, loss: consumer.loss, error: consumer.problem, cursors: [])
    guard let positions = consumer.positions else {
      details.reason = "The cursor cannot be read."
      return details
    }
    var (handled, lag) = (UInt64(0), 0)
    for producer in state.producers {
      let position = positions[producer.id] ?? 0
      guard position <= producer.end else {
        details.reason = "The cursor is beyond the end of the log."
        details.error = "The cursor of \(consumer.name) is at event \(position) of a producer that has \(producer.end)."
        return details
      }
      // Events before the first stored one can no longer be received.
      let start = max(position, producer.first == 0 ? 0 : producer.first - 1)
      let behind = Int(clamping: producer.end - min(start, producer.end))
      details.cursors.append(
        InspectedLog.Cursor(
          producer: producer.id.uuidString.lowercased(), position: "\(position)", end: "\(producer.end)", lag: behind))
      handled = handled.addingSaturated(position)
      lag = lag.addingSaturated(behind)
    }
    (details.cursor, details.lag) = ("\(handled)", lag)
    if lag > 0, let oldest = consumer.oldestUnread { details.oldest = max(0, -oldest.timeIntervalSinceNow) }
    remember(&details, handled, lag, now)
    return details
  }

  private mutating func remember(
    _ details: inout InspectedLog.Consumer, _ handled: UInt64, _ lag: Int, _ now: ContinuousClock.Instant
  ) {
    var memory = memories[details.name] ?? Memory(handled: handled, lag: lag, advanced: now, changed: now)
    if handled > memory.handled { memory.rate.add(Int(clamping: handled - memory.handled), at: now) }
    if handled != memory.handled || lag == 0 { memory.advanced = now }
    (memory.handled, memory.lag) = (handled, lag)
    let isStill = memory.advanced.duration(to: now) >= .seconds(5)
    details.state =
      switch (details.running, lag) {
      case (true, 0): .caughtUp
      case (true, _): isStill ? .stalled : .behind
      case (false, 0): .idle
      case (false, _): .dead
      }
    if details.state != memory.state {
      if memory.state != .unknown { memory.changed = now }
      memory.state = details.state
    }
    details.since = Double(memory.changed.duration(to: now).components.seconds)
    if let rate = memory.rate.rate(at: now) {
      details.reads = rate.perSecond
      if lag > 0, rate.perSecond > 0 { details.empty = (Double(lag) / rate.perSecond * 10).rounded() / 10 }
    }
    memories[details.name] = memory
  }

  /// Returns the last events; see `LogInspection`.
  func entries(limit: Int) throws -> [LogInspection.Entry] { try inspection.entries(limit: limit) }
}
