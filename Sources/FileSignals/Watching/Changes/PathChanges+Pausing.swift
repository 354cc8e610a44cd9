import Signals

/// Support for subscribers that change the file themselves and therefore know its new content.
extension PathChanges {
  package func pause() {
    pending.withLock { $0.pause() }
  }

  package func resume() {
    let isDue = pending.withLock { $0.endPause() }
    wakingBackend?.endRest()
    if isDue { enqueue() }
  }

  private func isReplacement(_ event: WatchEvent) -> Bool {
    let place = event.point.place
    guard let name = event.name, event.kinds == .movedIn else { return false }
    return name == place.leaf && !place.hinges.contains(name)
  }

  package func follow(_ names: Set<String>) -> Set<String> {
    followed?.follow(names) ?? []
  }

  package func quietly<Failure: Error>(
    _ change: () throws(Failure) -> Void, isKnown: () -> Bool
  ) throws(Failure) -> QuietChange {
    let backend = wakingBackend
    backend?.muffle()
    defer { backend?.unmuffle() }
    try change()
    let others = backend?.drain()
    // Taken before the check, so that later events gather again.
    let events = pending.withLock { $0.take(where: isReplacement) }
    let isKnown = isKnown()
    if !isKnown { pending.withLock { $0.putBack(events) } }
    return QuietChange(isKnown: isKnown, others)
  }

  /// Lets the changes of the whole source gather without waking a thread, until the token is cancelled or released.
  func rest() -> SignalSubscription {
    guard let backend = wakingBackend else { return SignalSubscription {} }
    backend.muffle()
    return SignalSubscription {
      backend.drain().schedule()
      backend.unmuffle()
    }
  }

  /// The backend that wakes threads for events, if there is one.
  private var wakingBackend: (any WatchBackend)? {
    guard !polling.isForced else { return nil }
    // The path is polled, and its health reports the reason.
    return tolerating(try source.backend(), else: nil)
  }
}
