/// The events that one wake-up of a backend reads, grouped by observer.
struct Batches {
  private var batches: [ObjectIdentifier: (watch: PathChanges, events: [WatchEvent])] = [:]

  /// The observers that have received events and must be called.
  private var due: [PathChanges] = []

  /// A Boolean value that indicates whether the events are for a single observer, which is idle.
  private(set) var areForOneIdle = false

  /// The observers that have received events, and rest.
  private var resting: [PathChanges] = []

  /// The resting observers whose owners have paused, and for which no review is due.
  private var paused: [PathChanges] = []

  /// A Boolean value that indicates whether an observer rests because its changes come too fast.
  private var hasStorm = false

  /// Returns the longest rest of all observers.
  ///
  /// - Parameter delaysOthers: Returns whether the rest would delay the first event of another observer.
  /// - Returns: The rest, or `nil` if one of the observers must be called or does not rest, or if there are no events.
  func rest(_ delaysOthers: (Batches) -> Bool) -> Duration? {
    guard due.isEmpty, !resting.isEmpty, resting.count == batches.count else { return nil }
    guard delaysOthers(self) else { return hasStorm ? PathChanges.rest : PathChanges.pauseLimit }
    return hasStorm ? PathChanges.sharedRest : nil
  }

  mutating func add(_ kinds: WatchKinds, _ name: String?, _ point: WatchPoint) {
    guard let watch = point.watch else { return }
    batches[point.owner, default: (watch, [])].events.append(
      WatchEvent(kinds: kinds, name: name, point: point))
  }

  /// Passes the events to the observers, which are called later, when no lock is held that they could need.
  mutating func handIn() {
    for (watch, events) in batches.values {
      switch watch.take(events) {
      case .scheduled: break
      case .storm:
        hasStorm = true
        resting.append(watch)
      case .paused(let isFirst):
        resting.append(watch)
        if isFirst { paused.append(watch) }
      case .due: due.append(watch)
      }
    }
    areForOneIdle = batches.count == 1 && due.count == 1
  }

  /// A Boolean value that indicates whether all observers still rest.
  var stillRest: Bool { resting.allSatisfy(\.isResting) }

  /// Adds the resting observers of earlier events that need not rest any longer.
  mutating func review(_ earlier: Batches) {
    for watch in earlier.resting where watch.review() { due.append(watch) }
  }

  /// Returns a Boolean value that indicates whether there are events for the owner of a point.
  func include(ownerOf point: WatchPoint) -> Bool { batches[point.owner] != nil }

  /// Adds the observers of events that were passed on later, which are not released before all are called.
  mutating func append(_ later: Batches) {
    batches.merge(later.batches) { first, _ in first }
    due += later.due
    paused += later.paused
  }

  /// Calls the observers on this thread.
  func process() {
    for watch in due { watch.process() }
  }

  /// Schedules the calls of the observers on their queues.
  func schedule() {
    for watch in due { watch.enqueue() }
    for watch in paused { watch.reviewLater() }
  }
}
