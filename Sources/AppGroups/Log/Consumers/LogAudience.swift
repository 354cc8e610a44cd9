import Foundation
import Signals

/// The subscribers and loops of a feed, and the events that they have handled.
///
/// It does not use a source of the core, which may deliver on a thread that subscribes or cancels at that moment. A log
/// calls its subscribers only on its queue, and must know whether a subscriber received an event.
final class LogAudience: Sendable {
  private let acknowledgement: LogAcknowledgement
  private let state: Guarded<State>

  /// Creates an audience.
  ///
  /// - Parameters:
  ///   - acknowledgement: The moment at which an event counts as handled.
  ///   - isKeepingEvents: A Boolean value that indicates whether events that a member leaves unhandled are delivered
  ///     again.
  init(_ acknowledgement: LogAcknowledgement, isKeepingEvents: Bool) {
    self.acknowledgement = acknowledgement
    state = Guarded(State(isKeepingEvents: isKeepingEvents))
  }

  // MARK: Members

  /// The subscribers in the order of their subscriptions, and the number of loops.
  var members: (subscribers: [any Sendable], loopCount: Int) {
    state.withLock { ($0.subscribers.map(\.subscriber), $0.loops.count) }
  }

  /// A Boolean value that indicates whether there is no subscriber and no loop.
  var isEmpty: Bool { state.withLock { $0.isEmpty } }

  /// Adds a subscriber.
  ///
  /// - Returns: The number to remove it with, and the generation that begins with it, if it is the only member.
  func add(
    _ subscriber: any Sendable, _ receive: @escaping @Sendable (DecodedEntry) -> Void
  ) -> (number: UInt64, generation: Int?) {
    state.withLock { state in
      let begun = state.beginGenerationIfEmpty()
      state.lastNumber += 1
      state.subscribers.append(
        Subscriber(number: state.lastNumber, joined: state.ordinal, subscriber: subscriber, receive: receive))
      return (state.lastNumber, begun)
    }
  }

  /// Removes a subscriber.
  func remove(_ number: UInt64) -> Departure {
    // The values that it captured may run code when they are released.
    var removed: Subscriber?
    defer { withExtendedLifetime(removed) {} }
    return depart { state in
      removed = state.subscribers.firstIndex { $0.number == number }.map { state.subscribers.remove(at: $0) }
    }
  }

  /// Adds a loop.
  ///
  /// - Returns: The generation that begins with it, if it is the only member.
  func add(_ loop: LogLoop) -> Int? {
    state.withLock { state in
      let begun = state.beginGenerationIfEmpty()
      state.loops.append(LoopState(loop: loop, joined: state.ordinal, handled: state.ordinal))
      return begun
    }
  }

  /// Removes a loop.
  func remove(_ loop: LogLoop) -> Departure {
    depart { state in state.loops.removeAll { $0.loop === loop } }
  }

  /// Removes a member with a closure.
  private func depart(_ remove: (inout State) -> Void) -> Departure {
    let (interrupted, generation, isEmpty, isDrainDue) = state.withLock { state in
      remove(&state)
      let interrupted = state.settleOrInterrupt(acknowledgement)
      return (interrupted, state.generation, state.isEmpty, state.isPaused)
    }
    guard let interrupted else { return isEmpty ? .last : .leavingNothing(isDrainDue: isDrainDue) }
    for loop in interrupted { loop.drop(before: generation) }
    return .leavingEvents(generation: generation)
  }

  /// Begins a generation for the current members, which receive no event any more that was read before.
  ///
  /// An event that a loop has at this moment stays unhandled.
  ///
  /// - Returns: The generation, or `nil` if there are no members.
  func interrupt() -> Int? {
    let (loops, generation, isEmpty) = state.withLock { state in
      state.interrupt()
      return (state.loops.map(\.loop), state.generation, state.isEmpty)
    }
    for loop in loops { loop.drop(before: generation) }
    return isEmpty ? nil : generation
  }

  /// Returns a Boolean value that indicates whether a generation is the current one.
  func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

  // MARK: Delivery

  /// Returns a Boolean value that indicates whether a generation is current, and its members can receive more events.
  func checkAppetite(_ generation: Int) -> Bool {
    state.withLock { state in
      state.isPaused = state.isWaiting || state.loops.contains { $0.loop.isFull }
      return generation == state.generation && !state.isEmpty && !state.isPaused && !state.isSuspended
    }
  }

  /// A Boolean value that indicates whether reading waits until the process is resumed.
  var isSuspended: Bool { state.withLock { $0.isSuspended } }

  func setSuspended(_ isSuspended: Bool) { state.withLock { $0.isSuspended = isSuspended } }

  /// Delivers an event to all members of a generation.
  ///
  /// - Parameters:
  ///   - entry: The event.
  ///   - generation: The generation that the event was read for.
  /// - Returns: The result.
  func give(_ entry: DecodedEntry, _ generation: Int) -> Delivery {
    let turn: Turn
    switch beginTurn(for: entry, generation) {
    case .turn(let begun): turn = begun
    case .postponed: return .postponed
    case .over: return .notReceived
    }
    var isTaken = false
    for subscriber in turn.subscribers where isSubscribed(subscriber.number) {
      subscriber.receive(entry)
      isTaken = true
    }
    for state in turn.loops { state.loop.give(entry, turn.ordinal, generation: generation) }
    guard turn.loops.isEmpty else { return turn.subscribers.isEmpty ? .received : endTurn(generation) }
    if isTaken, acknowledgement == .automatic { withCursor { $0.handle(entry.position, of: entry.id.producer) } }
    return isTaken ? .received : .notReceived
  }

  /// The members that receive an event.
  private struct Turn {
    let subscribers: [Subscriber]
    let loops: [LoopState]
    let ordinal: UInt64
  }

  private enum Beginning {
    case turn(Turn)
    case postponed
    /// The generation is over.
    case over
  }

  private func beginTurn(for entry: DecodedEntry, _ generation: Int) -> Beginning {
    state.withLock { state in
      guard generation == state.generation else { return .over }
      // A member may have joined since the event was read.
      if state.isWaiting {
        state.isPaused = true
        return .postponed
      }
      state.cursor.give(entry.position, of: entry.id.producer)
      state.ordinal += 1
      if !state.loops.isEmpty {
        state.unhandled.append((state.ordinal, entry.id.producer, entry.position))
        if !state.subscribers.isEmpty { state.current = state.ordinal }
      }
      return .turn(Turn(subscribers: state.subscribers, loops: state.loops, ordinal: state.ordinal))
    }
  }

  /// Ends a turn during which members may have left.
  private func endTurn(_ generation: Int) -> Delivery {
    let (interrupted, next) = state.withLock { state in
      state.current = nil
      guard state.generation == generation else { return (nil as [LogLoop]?, generation) }
      return (state.settleOrInterrupt(acknowledgement), state.generation)
    }
    guard let interrupted else { return .received }
    for loop in interrupted { loop.drop(before: next) }
    return .leavingEvents(generation: next)
  }

  private func isSubscribed(_ number: UInt64) -> Bool {
    state.withLock { $0.subscribers.contains { $0.number == number } }
  }

  // MARK: Handled events

  /// Records that a loop has handled an event.
  ///
  /// - Parameters:
  ///   - handled: The number of the event, or `nil` if the loop has handled none.
  ///   - loop: The loop.
  ///   - hasRoom: A Boolean value that indicates whether the loop has room for more.
  /// - Returns: Two Boolean values that indicate whether there is something to save, and whether reading must continue.
  func note(_ handled: UInt64?, by loop: LogLoop, hasRoom: Bool) -> (isSaveDue: Bool, isDrainDue: Bool) {
    state.withLock { state in
      var isDrainDue = hasRoom
      if let handled {
        let wasWaiting = state.isWaiting
        if let index = state.loops.firstIndex(where: { $0.loop === loop }) { state.loops[index].handled = handled }
        state.settle(acknowledgement)
        if wasWaiting, !state.isWaiting { isDrainDue = true }
      }
      return (state.cursor.isChanged && !state.isSaveDue, isDrainDue && state.isPaused)
    }
  }

  /// Records that an event is handled, unless it belongs to other contents than the cursor.
  func acknowledge(_ position: LogPosition, of producer: UUID, at switchCount: Int) {
    state.withLock { state in
      if state.switchCount == switchCount { state.cursor.handle(position, of: producer) }
    }
  }

  // MARK: The cursor

  /// Begins at given positions.
  ///
  /// - Parameters:
  ///   - positions: The position at which each producer's events continue.
  ///   - isSaved: A Boolean value that indicates whether these are saved positions. They are then advanced by the
  ///     events that were handled but not saved in the same contents.
  ///   - switchCount: The number of the contents.
  /// - Returns: The positions at which it begins.
  func begin(from positions: [UUID: LogPosition], isSaved: Bool, at switchCount: Int) -> [UUID: LogPosition] {
    state.withLock { state in
      // An event that is handled at this moment counts in the old cursor or in the new one.
      let isAhead = isSaved && state.cursor.isChanged && state.switchCount == switchCount
      let start = isAhead ? state.cursor.advance(positions) : positions
      state.switchCount = switchCount
      state.cursor = LogCursor(start)
      state.unhandled = []
      state.producers = []
      return start
    }
  }

  /// Runs a closure with the cursor.
  func withCursor<Result: Sendable>(_ body: (inout LogCursor) -> Result) -> Result {
    state.withLock { body(&$0.cursor) }
  }

  /// Records the producers that still have segments.
  ///
  /// The positions of other producers are forgotten after all of their events are handled.
  func know(_ producers: Set<UUID>) {
    state.withLock { state in
      state.producers = producers
      state.cursor.noteListing()
    }
  }

  /// The positions from which to continue after a crash.
  var positions: [UUID: LogPosition] { withCursor(\.positions) }

  /// Returns the positions to save now, and marks them as saved.
  ///
  /// - Returns: The positions from which to continue after a crash.
  func positionsToSave() -> [UUID: LogPosition] {
    state.withLock { state in
      if !state.producers.isEmpty { state.cursor.keep(only: state.producers) }
      state.cursor.isChanged = false
      return state.cursor.positions
    }
  }

  /// Returns the positions to save now, if another process may have been the consumer in between.
  ///
  /// - Parameter saved: The saved positions of the consumer.
  /// - Returns: The later of the saved and the current position for each producer.
  func positionsToSave(besides saved: [UUID: LogPosition]) -> [UUID: LogPosition] {
    state.withLock { state in
      state.cursor.isChanged = false
      return state.cursor.advance(saved)
    }
  }

  /// Returns a Boolean value that indicates whether the caller must save.
  ///
  /// The caller must save if the cursor has changed and no other caller has claimed to save it.
  func claimSaving() -> Bool {
    state.withLock { state in
      guard state.cursor.isChanged, !state.isSaveDue else { return false }
      state.isSaveDue = true
      return true
    }
  }

  /// Withdraws the claim to save.
  ///
  /// - Returns: A Boolean value that indicates whether there still is something to save.
  func releaseSaving() -> Bool {
    state.withLock { state in
      state.isSaveDue = false
      return state.cursor.isChanged
    }
  }
}
