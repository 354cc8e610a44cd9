/// The events that one wake-up of a backend reads, grouped by observer.
struct Batches {
  private var batches: [ObjectIdentifier: (watch: PathChanges, events: [WatchEvent])] = [:]

  /// The observers that have received events and must be called.
  private var due: [PathChanges] = []

  /// The observers that have received events but have postponed their calls.
  private(set) var postponed: [PathChanges.Postponed] = []

  /// A Boolean value that indicates whether the events are for a single observer, which is idle.
  private(set) var areForOneIdle = false

  mutating func add(_ kinds: WatchKinds, _ name: String?, _ point: WatchPoint) {
    guard let watch = point.watch else { return }
    batches[ObjectIdentifier(watch), default: (watch, [])].events.append(
      WatchEvent(kinds: kinds, name: name, point: point))
  }

  /// Passes the events to the observers, which are called later, when no lock is held that they could need.
  mutating func handIn() {
    areForOneIdle = batches.count == 1
    for (watch, events) in batches.values {
      areForOneIdle = areForOneIdle && watch.isIdle
      switch watch.take(events) {
      case .due: due.append(watch)
      case .postponed(let pause): postponed.append(PathChanges.Postponed(watch: watch, pause: pause))
      case .scheduled: break
      }
    }
    areForOneIdle = areForOneIdle && !due.isEmpty
  }

  /// Calls the observers on this thread.
  func process() {
    for watch in due { watch.process() }
  }

  /// Schedules the calls of the observers on their queues.
  func schedule() {
    for watch in due { watch.enqueue() }
  }
}
