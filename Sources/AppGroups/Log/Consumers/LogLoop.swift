import Signals

/// One asynchronous loop over a log's events: it is given a few at a time, and has handled an event when it asks for
/// the next.
final class LogLoop: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  /// How many events may wait for a loop; reading pauses meanwhile.
  static let capacity = 64

  private let lock = Lock()
  private var buffer: [(ordinal: UInt64, entry: DecodedEntry)] = []
  private var first = 0
  private var waiter: UnsafeContinuation<Void, Never>?
  private var isEnded = false
  private var current: UInt64?

  // MARK: The reader's side

  /// Gives an event to the loop.
  func give(_ entry: DecodedEntry, _ ordinal: UInt64) {
    let waiter = lock.withLock {
      if !isEnded { buffer.append((ordinal, entry)) }
      return self.waiter.take()
    }
    waiter?.resume()
  }

  /// Whether it has as much as it should.
  var isFull: Bool { lock.withLock { buffer.count - first >= Self.capacity } }

  // MARK: The loop's side

  /// What asking for the next event found.
  enum Supply {
    case entry(DecodedEntry)
    case nothing
    case ended
  }

  /// Takes the next event.
  ///
  /// - Returns: It, the one that is handled by that, and whether there is room for many more.
  func take() -> (supply: Supply, handled: UInt64?, isHungry: Bool) {
    lock.withLock {
      let handled = current.take()
      if isEnded { return (.ended, nil, false) }
      guard first < buffer.count else { return (.nothing, handled, true) }
      let (ordinal, entry) = buffer[first]
      current = ordinal
      first += 1
      if first == buffer.count {
        buffer.removeAll(keepingCapacity: true)
        first = 0
      } else if first > Self.capacity {
        buffer.removeFirst(first)
        first = 0
      }
      return (.entry(entry), handled, buffer.count - first == Self.capacity / 2)
    }
  }

  /// Waits until there is something to take.
  func wait(isolation actor: isolated (any Actor)?) async {
    await withUnsafeContinuation(isolation: actor) { continuation in
      let isReady = lock.withLock {
        if isEnded || first < buffer.count || waiter != nil { return true }
        waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Ends the loop; what it has not handled is for the next.
  ///
  /// - Returns: Whether it had not ended before.
  func end() -> Bool {
    let (isFirst, waiter) = lock.withLock {
      let isFirst = !isEnded
      isEnded = true
      buffer = []
      first = 0
      return (isFirst, self.waiter.take())
    }
    waiter?.resume()
    return isFirst
  }
}
