/// The events of one wake of a backend, sorted by whom they are for.
struct Batches {
  private var batches: [ObjectIdentifier: (watch: PathWatch, events: [WatchEvent])] = [:]

  mutating func add(_ kinds: WatchKinds, _ name: String?, _ point: WatchPoint) {
    guard let watch = point.watch else { return }
    batches[ObjectIdentifier(watch), default: (watch, [])].events.append(
      WatchEvent(kinds: kinds, name: name, point: point))
  }

  /// Whether there are events for one observer only, who has nothing else to do.
  var areForOneIdle: Bool {
    batches.count == 1 && batches.values.allSatisfy(\.watch.isIdle)
  }

  /// Hands the events out; not to be called with a lock held, because this may be what releases a watch at last.
  func deliver() {
    for batch in batches.values { batch.watch.receive(batch.events) }
  }

  /// Hands the events to the one observer that they are for, who is returned if the caller is to have them processed.
  func handIn() -> PathWatch? {
    guard let batch = batches.values.first else { return nil }
    return batch.watch.take(batch.events) ? batch.watch : nil
  }
}
