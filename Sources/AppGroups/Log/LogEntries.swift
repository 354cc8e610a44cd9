import Foundation

/// The events that are in a log, read without a consumer.
struct LogEntries<Event: Codable & Sendable>: Sequence, Sendable {
  /// An event with its identity and its date, or the reason why events could not be read.
  typealias Element = Result<LogEntry<Event>, AppGroupsLogError>

  let location: LogLocation
  private let clock: LogClock
  let decoder: EntryDecoder
  /// The earliest date to return, in nanoseconds since 1970.
  let start: UInt64

  init(_ producer: LogProducer, _ decoder: EntryDecoder, since date: Date) {
    location = producer.location
    clock = producer.clock
    self.decoder = decoder
    let seconds = date.timeIntervalSince1970
    // No event of a log has a later date.
    start = seconds <= 0 ? 0 : seconds < 1e10 ? UInt64(seconds * 1e9) : .max
  }

  /// Returns an iterator over the events that are in the log now.
  func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// An iterator that reads the events one by one.
  struct Iterator: IteratorProtocol {
    private let entries: LogEntries
    private let place: LogPlace?
    private let merge: ProducerMerge?
    /// The problems that were found before the next record, the latest first.
    private var problems: [AppGroupsLogError] = []
    private var found: Record?
    private var isAtEnd = false

    private typealias Record = (producer: UUID, record: LogRecord, position: LogPosition)

    fileprivate init(_ entries: LogEntries) {
      self.entries = entries
      do throws(AppGroupsLogError) {
        let place = try entries.location.readablePlace
        let merge = ProducerMerge(place, upTo: try LogEnd.consistent(LogEnd.all(in: place), in: place))
        _ = merge.scan()
        (self.place, self.merge) = (place, merge)
        take(merge)
      } catch {
        (place, merge) = (nil, nil)
        problems = [error]
      }
    }

    /// Returns the next event, or the reason why it could not be read, or `nil` at the end.
    mutating func next() -> Element? {
      guard let merge, let place else { return problems.popLast().map { .failure($0) } }
      while true {
        if let problem = problems.popLast() { return .failure(problem) }
        if let found = found.take() {
          guard found.record.time >= entries.start else { continue }
          entries.clock.observe(found.record.time)
          return entry(found, in: place)
        }
        if isAtEnd { return nil }
        found = merge.next()
        if found == nil {
          isAtEnd = true
          merge.checkEnds()
        }
        take(merge)
      }
    }

    private mutating func take(_ merge: ProducerMerge) {
      problems = merge.takeProblems().reversed()
    }

    private func entry(_ found: Record, in place: LogPlace) -> Element {
      let (producer, record, position) = found
      do {
        let entry = try entries.decoder.decode(record, producer, position, place.switchCount)
        return .success(entry.entry(of: Event.self))
      } catch {
        let id = LogEventID(producer: producer, sequence: record.sequence)
        return .failure(.undecodable(id, entries.location.url, reason: CodingReason.words(for: error)))
      }
    }
  }
}

@available(*, unavailable)
extension LogEntries.Iterator: Sendable {}
