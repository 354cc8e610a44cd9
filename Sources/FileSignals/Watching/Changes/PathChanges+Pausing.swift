import Signals

/// Support for subscribers that change the file themselves and therefore know its new content.
extension PathChanges {
  package func pause() {
    pending.withLock { $0.pause() }
  }

  package func resume() {
    if pending.withLock({ $0.endPause() }) { enqueue() }
  }

  private func isReplacement(_ event: WatchEvent) -> Bool {
    let place = event.point.place
    guard let name = event.name, event.kinds == .movedIn else { return false }
    return name == place.leaf && !place.hinges.contains(name)
  }

  /// Events whose owner has postponed its calls.
  struct Postponed {
    let watch: PathChanges
    /// The number of the pause.
    let pause: Int

    /// Schedules the processing of the events if the same pause is still in effect.
    ///
    /// - Returns: The events to review later, if a newer pause has postponed them.
    func reviewed() -> Postponed? {
      let (isDue, newer) = watch.pending.withLock { $0.review(pause) }
      if isDue { watch.enqueue() }
      return newer.map { Postponed(watch: watch, pause: $0) }
    }

    /// Schedules the processing of the events.
    func end() {
      if watch.pending.withLock({ $0.demand() }) { watch.enqueue() }
    }
  }

  package func follow(_ names: Set<String>) -> Set<String> {
    followed?.follow(names) ?? []
  }

  package func quietly<Failure: Error>(
    _ change: () throws(Failure) -> Void, isKnown: () -> Bool
  ) throws(Failure) -> Bool {
    let backend = wakingBackend
    backend?.muffle()
    defer { backend?.unmuffle() }
    try change()
    backend?.drain(for: self)
    // Taken before the check, so that later events gather again.
    let events = pending.withLock { $0.take(where: isReplacement) }
    let isKnown = isKnown()
    if !isKnown { pending.withLock { $0.putBack(events) } }
    return isKnown
  }

  /// Lets the changes of the whole source gather without waking a thread, until the token is cancelled or released.
  func rest() -> SignalSubscription {
    guard let backend = wakingBackend else { return SignalSubscription {} }
    backend.muffle()
    return SignalSubscription {
      backend.drain(for: self)
      backend.unmuffle()
    }
  }

  /// The backend that wakes threads for events, if there is one.
  private var wakingBackend: (any WatchBackend)? {
    guard !polling.isForced else { return nil }
    do throws(FileObserverError) {
      return try source.backend()
    } catch {
      // The path is polled, and its health reports the reason.
      return nil
    }
  }
}
