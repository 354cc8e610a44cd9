import Signals

/// For who changes the file and knows what follows from it.
extension PathWatch {
  /// Lets events only gather, until ``resume(unless:)`` has been called as often, though not for long.
  func pause() {
    lock.withLock { pending.pause() }
  }

  /// Has what has gathered processed, unless it tells of nothing but another file in the file's place, and that is
  /// known.
  ///
  /// - Parameter isKnown: Looks whether what is in the file's place now is known, and no link.
  func resume(unless isKnown: () -> Bool) {
    // Taken before looking: what happens after the look gathers anew.
    let events = lock.withLock { pending.take(where: isReplacement) }
    let news = events.isEmpty || isKnown() ? [] : events
    if lock.withLock({ pending.endPause(with: news) }) { enqueue() }
  }

  private func isReplacement(_ event: WatchEvent) -> Bool {
    let place = event.point.place
    guard let name = event.name, event.kinds == .movedIn else { return false }
    return name == place.leaf && !place.hinges.contains(name)
  }

  /// Events that the owner has put off hearing of.
  struct Postponed {
    let watch: PathWatch
    /// Which pause it was.
    let pause: Int

    /// Has the events processed if that same pause is still not over.
    ///
    /// - Returns: What is to be reviewed later, because it is put off by a newer pause.
    func reviewed() -> Postponed? {
      let (isDue, newer) = watch.lock.withLock { watch.pending.review(pause) }
      if isDue { watch.enqueue() }
      return newer.map { Postponed(watch: watch, pause: $0) }
    }

    /// Has the events processed.
    func end() {
      if watch.lock.withLock({ watch.pending.demand() }) { watch.enqueue() }
    }
  }

  /// Runs a closure that changes the file in a moment, and takes in what follows from it, so that no other thread is
  /// woken only to find that out.
  func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
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
