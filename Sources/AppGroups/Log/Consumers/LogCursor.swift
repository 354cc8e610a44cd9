import Foundation

/// How far a consumer is: what it has handled, what it has been given, and what was passed over in between.
///
/// An event that was given and is not handled yet holds the cursor before it, also if later ones of no interest were
/// passed over.
struct LogCursor {
  private struct Place {
    /// Where to go on after a crash.
    var handled: LogPosition
    /// Where reading goes on.
    var read: LogPosition
    /// The last event that was given out.
    var given: UInt64 = 0

    init(_ position: LogPosition) {
      handled = position
      read = position
    }
  }

  private var places: [UUID: Place]

  /// Whether it is further than when this was last set.
  var isChanged = false

  init(_ positions: [UUID: LogPosition] = [:]) {
    places = positions.mapValues(Place.init)
  }

  /// Where to go on after a crash.
  var positions: [UUID: LogPosition] { places.mapValues(\.handled) }

  /// Takes note that an event is given out.
  mutating func give(_ position: LogPosition, of producer: UUID) {
    places[producer, default: Place(.beginning)].read = position
    places[producer]?.given = position.sequence
  }

  /// Takes note that nothing up to a place is of interest any more, but for what was given out.
  mutating func pass(_ position: LogPosition, of producer: UUID) {
    var place = places[producer] ?? Place(.beginning)
    guard place.read != position || place.handled != position else { return }
    place.read = position
    // Who said that an event is handled may be further than what is read again.
    if place.handled.sequence >= place.given, !place.handled.isAfter(position) {
      isChanged = isChanged || place.handled != position
      place.handled = position
    }
    places[producer] = place
  }

  /// Takes note that an event, and with it those of its producer before, is handled.
  mutating func handle(_ position: LogPosition, of producer: UUID) {
    guard var place = places[producer], position.sequence > place.handled.sequence else { return }
    // What was passed over after the last one goes with it.
    let isLast = position.sequence >= place.given && !position.isAfter(place.read)
    place.handled = isLast ? place.read : position
    places[producer] = place
    isChanged = true
  }

  /// Whether an event is handled.
  func hasHandled(_ sequence: UInt64, of producer: UUID) -> Bool {
    places[producer].map { sequence <= $0.handled.sequence } ?? false
  }

  /// Forgets producers of whom nothing is left.
  mutating func keep(only producers: Set<UUID>) {
    places = places.filter { producers.contains($0.key) || $0.value.handled != $0.value.read }
  }
}
