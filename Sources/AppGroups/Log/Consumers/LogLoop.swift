import Signals

/// An asynchronous loop over a log's events, which receives a few at a time and has handled an event when it asks for
/// the next.
final class LogLoop: Sendable {
  /// The number of events that wait for a loop before reading pauses.
  static let capacity = 64

  private struct State {
    var buffer: [(ordinal: UInt64, entry: DecodedEntry)] = []
    var first = 0
    var waiter: UnsafeContinuation<Void, Never>?
    var isEnded = false
    var current: UInt64?
    /// The generation of the audience whose events the loop receives.
    var generation = 0
  }

  private let state = Guarded(State())

  // MARK: Called by the feed

  /// Passes an event to the loop, unless the loop waits for events of a later generation.
  func give(_ entry: DecodedEntry, _ ordinal: UInt64, generation: Int) {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard generation >= state.generation else { return nil }
      if !state.isEnded { state.buffer.append((ordinal, entry)) }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Drops the events that the loop has not received.
  ///
  /// - Parameter generation: The generation of the next event for the loop.
  func drop(before generation: Int) {
    // The events may run code when they are released.
    state.replace { state in
      state.generation = generation
      state.first = 0
      return exchange(&state.buffer, with: [])
    }
  }

  /// A Boolean value that indicates whether the loop has as many waiting events as it may have.
  var isFull: Bool { state.withLock { $0.buffer.count - $0.first >= Self.capacity } }

  // MARK: Called by the loop

  /// The result of a request for the next event.
  enum Supply {
    case entry(DecodedEntry)
    case nothing
    case ended
  }

  /// Takes the next event.
  ///
  /// - Returns: The event, the number of the event that is handled thereby, and whether there is room for many more.
  func take() -> (supply: Supply, handled: UInt64?, hasRoom: Bool) {
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

  /// Ends the loop, and leaves its unhandled events to the next one.
  ///
  /// - Returns: A Boolean value that indicates whether this call ended it.
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
