/// The events of one wake of a backend, sorted by whom they are for.
struct Batches {
  private var batches: [ObjectIdentifier: (watch: PathChanges, events: [WatchEvent])] = [:]

  /// Who has taken events and must be called.
  private var due: [PathChanges] = []

  /// Who has taken events, but puts off being called.
  private(set) var postponed: [PathChanges.Postponed] = []

  /// Whether the events are for one observer only, who has nothing else to do.
  private(set) var areForOneIdle = false

  mutating func add(_ kinds: WatchKinds, _ name: String?, _ point: WatchPoint) {
    guard let watch = point.watch else { return }
    batches[ObjectIdentifier(watch), default: (watch, [])].events.append(
      WatchEvent(kinds: kinds, name: name, point: point))
  }

  /// Gives the observers their events; they are called later, when no lock is held that they could want.
  mutating func handIn() {
    areForOneIdle = batches.count == 1
    for (watch, events) in batches.values {
      areForOneIdle = areForOneIdle && watch.isIdle
      switch watch.take(events) {
      case .due: due.append(watch)
      case .postponed(let postponed): self.postponed.append(postponed)
      case .scheduled: break
      }
    }
    areForOneIdle = areForOneIdle && !due.isEmpty
  }

  /// Calls the observers on this thread.
  func process() {
    for watch in due { watch.process() }
  }

  /// Has the observers called on their queues.
  func schedule() {
    for watch in due { watch.enqueue() }
  }
}
