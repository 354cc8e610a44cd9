import Signals

/// One asynchronous loop over a log's events: it is given a few at a time, and has handled an event when it asks for
/// the next.
final class LogLoop: Sendable {
  /// How many events may wait for a loop; reading pauses meanwhile.
  static let capacity = 64

  private struct State {
    var buffer: [(ordinal: UInt64, entry: DecodedEntry)] = []
    var first = 0
    var waiter: UnsafeContinuation<Void, Never>?
    var isEnded = false
    var current: UInt64?
    /// The generation of the audience whose events the loop takes.
    var generation = 0
  }

  private let state = Guarded(State())

  // MARK: The reader's side

  /// Gives an event to the loop, unless the loop waits for those of a later generation.
  func give(_ entry: DecodedEntry, _ ordinal: UInt64, generation: Int) {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard generation >= state.generation else { return nil }
      if !state.isEnded { state.buffer.append((ordinal, entry)) }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Drops the events that the loop has not taken.
  ///
  /// - Parameter generation: The generation of the next event that is given to it.
  func drop(before generation: Int) {
    // They may run code when they are released.
    state.replace { state in
      state.generation = generation
      state.first = 0
      return exchange(&state.buffer, with: [])
    }
  }

  /// Whether it has as much as it should.
  var isFull: Bool { state.withLock { $0.buffer.count - $0.first >= Self.capacity } }

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
    state.withLock { state in
      let handled = state.current.take()
      if state.isEnded { return (.ended, nil, false) }
      guard state.first < state.buffer.count else { return (.nothing, handled, true) }
      let (ordinal, entry) = state.buffer[state.first]
      state.current = ordinal
      state.first += 1
      if state.first == state.buffer.count {
        state.buffer.removeAll(keepingCapacity: true)
        state.first = 0
      } else if state.first > Self.capacity {
        state.buffer.removeFirst(state.first)
        state.first = 0
      }
      return (.entry(entry), handled, state.buffer.count - state.first == Self.capacity / 2)
    }
  }

  /// Waits until there is something to take.
  func wait(isolation actor: isolated (any Actor)?) async {
    await withUnsafeContinuation(isolation: actor) { continuation in
      let isReady = state.withLock { state in
        if state.isEnded || state.first < state.buffer.count || state.waiter != nil { return true }
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Ends the loop; what it has not handled is for the next.
  ///
  /// - Returns: Whether it had not ended before.
  func end() -> Bool {
    let (isFirst, waiter, _) = state.withLock { state in
      let (isFirst, waiter, buffer) = (!state.isEnded, state.waiter.take(), state.buffer)
      state = State()
      state.isEnded = true
      return (isFirst, waiter, buffer)
    }
    waiter?.resume()
    return isFirst
  }
}
