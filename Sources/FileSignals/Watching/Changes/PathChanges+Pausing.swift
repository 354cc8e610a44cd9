import Signals

/// For subscribers that change the file themselves and know what follows from it.
extension PathChanges {
  package func pause() {
    pending.withLock { $0.pause() }
  }

  package func resume(unless isKnown: () -> Bool) {
    // Taken before looking: what happens after the look gathers anew.
    let events = pending.withLock { $0.take(where: isReplacement) }
    let news = events.isEmpty || isKnown() ? [] : events
    if pending.withLock({ $0.endPause(with: news) }) { enqueue() }
  }

  private func isReplacement(_ event: WatchEvent) -> Bool {
    let place = event.point.place
    guard let name = event.name, event.kinds == .movedIn else { return false }
    return name == place.leaf && !place.hinges.contains(name)
  }

  /// Events that the owner has put off hearing of.
  struct Postponed {
    let watch: PathChanges
    /// Which pause it was.
    let pause: Int

    /// Has the events processed if that same pause is still not over.
    ///
    /// - Returns: What is to be reviewed later, because it is put off by a newer pause.
    func reviewed() -> Postponed? {
      let (isDue, newer) = watch.pending.withLock { $0.review(pause) }
      if isDue { watch.enqueue() }
      return newer.map { Postponed(watch: watch, pause: $0) }
    }

    /// Has the events processed.
    func end() {
      if watch.pending.withLock({ $0.demand() }) { watch.enqueue() }
    }
  }

  package func follow(_ names: Set<String>) -> Set<String> {
    followed?.follow(names) ?? []
  }

  package func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard let backend = wakingBackend else { return try change() }
    backend.muffle()
    defer { backend.unmuffle(by: self) }
    return try change()
  }

  /// What wakes threads for events, if anything does.
  private var wakingBackend: (any WatchBackend)? {
    guard !polling.isForced else { return nil }
    do throws(FileObserverError) {
      return try backend()
    } catch {
      // The watch is polled, and its health says why.
      return nil
    }
  }
}
