import Foundation

/// The position of a consumer: the events that it has handled, the events that it has received, and the events skipped
/// in between.
///
/// A delivered event that is not yet handled keeps the cursor before it, even if later events of no interest were
/// skipped.
struct LogCursor {
  private struct Place {
    /// The position from which to continue after a crash.
    var handled: LogPosition
    /// The position at which reading continues.
    var read: LogPosition
    /// The sequence of the last delivered event.
    var given: UInt64 = 0
    /// A Boolean value that indicates whether the segments were listed since the producer was found.
    var isListed: Bool

    init(_ position: LogPosition, isListed: Bool) {
      handled = position
      read = position
      self.isListed = isListed
    }
  }

  private var places: [UUID: Place]

  /// A Boolean value that indicates whether the cursor has advanced since it was last saved.
  var isChanged = false

  init(_ positions: [UUID: LogPosition] = [:]) {
    places = positions.mapValues { Place($0, isListed: true) }
  }

  /// The positions from which to continue after a crash.
  var positions: [UUID: LogPosition] { places.mapValues(\.handled) }

  /// Returns saved positions, advanced by the events that are handled here.
  func advance(_ saved: [UUID: LogPosition]) -> [UUID: LogPosition] {
    positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
  }

  /// Returns to the first unhandled event of each producer, as if none had been delivered after it.
  ///
  /// - Returns: The positions at which reading continues.
  mutating func rewind() -> [UUID: LogPosition] {
    places = places.mapValues { Place($0.handled, isListed: $0.isListed) }
    return positions
  }

  /// Records that the segments were listed: a producer that is not among theirs has none.
  mutating func noteListing() {
    for (producer, place) in places where !place.isListed { places[producer]?.isListed = true }
  }

  /// Records that an event is delivered.
  mutating func give(_ position: LogPosition, of producer: UUID) {
    places[producer, default: Place(.beginning, isListed: false)].read = position
    places[producer]?.given = position.sequence
  }

  /// Records that reading has passed a position, before which only the delivered events still matter.
  mutating func pass(_ position: LogPosition, of producer: UUID) {
    var place = places[producer] ?? Place(.beginning, isListed: false)
    guard place.read != position || place.handled != position else { return }
    place.read = position
    // An acknowledged position may be beyond the events that are read again.
    if place.handled.sequence >= place.given, !place.handled.isAfter(position) {
      isChanged = isChanged || place.handled != position
      place.handled = position
    }
    places[producer] = place
  }

  /// Records that an event, and with it all earlier events of its producer, is handled.
  mutating func handle(_ position: LogPosition, of producer: UUID) {
    guard var place = places[producer], position.sequence > place.handled.sequence else { return }
    // The events that were skipped after the last delivered one are handled with it.
    let isLast = position.sequence >= place.given && !position.isAfter(place.read)
    place.handled = isLast ? place.read : position
    places[producer] = place
    isChanged = true
  }

  /// Returns a Boolean value that indicates whether an event is handled, even if reading has not reached it since it
  /// began.
  func hasHandled(_ sequence: UInt64, of producer: UUID) -> Bool {
    places[producer].map { sequence <= $0.handled.sequence } ?? false
  }

  /// Forgets the producers that have no segments and no unhandled events.
  mutating func keep(only producers: Set<UUID>) {
    places = places.filter { producer, place in
      producers.contains(producer) || !place.isListed || place.handled != place.read
    }
  }
}

/// A position in the events that one producer has appended.
struct LogPosition: Hashable, Sendable, Codable {
  /// The segment to continue in.
  var segment: UInt64
  /// The offset in the segment to continue at; 0 if nothing of the segment has been read.
  var offset: UInt64
  /// The sequence of the last event before the position, or 0.
  var sequence: UInt64
  /// A Boolean value that indicates whether missing events after `sequence`, or damage at `offset`, have been reported.
  var isBroken = false

  /// A number that no log ever reaches; arithmetic with smaller numbers cannot overflow.
  static let limit = UInt64.max / 2

  /// A Boolean value that indicates whether a log may have such a position, because a cursor file may contain any
  /// numbers.
  var isPossible: Bool { segment < Self.limit && offset < Self.limit && sequence < Self.limit }

  /// Returns a Boolean value that indicates whether this position is after another one of the same producer.
  func isAfter(_ other: LogPosition) -> Bool {
    (segment, offset) > (other.segment, other.offset)
  }

  static let beginning = LogPosition(segment: 0, offset: 0, sequence: 0)

  /// A position after every other one, with no known sequence.
  static let end = LogPosition(segment: limit, offset: limit, sequence: 0)
}
