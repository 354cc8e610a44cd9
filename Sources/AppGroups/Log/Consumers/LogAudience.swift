import Foundation
import Signals

/// The subscribers and loops of a feed, and the events that they have handled.
///
/// It does not use a source of the core, which may deliver on a thread that subscribes or cancels at that moment. A log
/// calls its subscribers only on its queue, and must know whether a subscriber received an event.
final class LogAudience: Sendable {
  private struct Subscriber {
    let number: UInt64
    let subscriber: any Sendable
    let receive: @Sendable (DecodedEntry) -> Void
  }

  private struct LoopState {
    let loop: LogLoop
    /// The number of the last event that the loop has handled.
    var handled: UInt64
  }

  private struct State {
    var subscribers: [Subscriber] = []
    var lastNumber: UInt64 = 0
    var loops: [LoopState] = []
    var cursor = LogCursor()
    /// The number of events that have been delivered.
    var ordinal: UInt64 = 0
    /// The events that were given to loops and that not all of them have handled, in order.
    var unhandled: [(ordinal: UInt64, producer: UUID, position: LogPosition)] = []
    /// A Boolean value that indicates whether reading waits until a loop asks for more.
    var isPaused = false
    var isSaveDue = false
    /// A Boolean value that indicates whether reading waits until the process is resumed.
    var isSuspended = false
    /// The producers that still have segments; empty if they are not known.
    var producers: Set<UUID> = []
    /// The number of the current generation, which begins when a member joins an empty audience, or by an interruption.
    ///
    /// Events that were read for one generation are not delivered to the next.
    var generation = 0
    /// The number of the contents that the cursor belongs to.
    var swapCount = 0

    var isEmpty: Bool { subscribers.isEmpty && loops.isEmpty }

    mutating func beginGenerationIfEmpty() -> Int? {
      guard isEmpty else { return nil }
      generation += 1
      return generation
    }

    /// Records the events that all loops have handled.
    mutating func settle(_ acknowledgement: LogAcknowledgement) {
      // When the last loop leaves, its unhandled events wait for the next one, unless subscribers have received them.
      guard !isEmpty else { return unhandled = [] }
      let least = loops.reduce(.max) { min($0, $1.handled) }
      let count = unhandled.prefix { $0.ordinal <= least }.count
      guard count > 0 else { return }
      if acknowledgement == .automatic {
        for (_, producer, position) in unhandled[..<count] { cursor.handle(position, of: producer) }
      }
      unhandled.removeFirst(count)
    }
  }

  private let acknowledgement: LogAcknowledgement
  private let state = Guarded(State())

  init(_ acknowledgement: LogAcknowledgement) {
    self.acknowledgement = acknowledgement
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
      state.subscribers.append(Subscriber(number: state.lastNumber, subscriber: subscriber, receive: receive))
      return (state.lastNumber, begun)
    }
  }

  /// Removes a subscriber.
  ///
  /// - Returns: A Boolean value that indicates whether no member is left.
  func remove(_ number: UInt64) -> Bool {
    // The values that it captured may run code when they are released.
    state.replace { state in
      state.subscribers.firstIndex { $0.number == number }.map { state.subscribers.remove(at: $0) }
    }
    return isEmpty
  }

  /// Adds a loop.
  ///
  /// - Returns: The generation that begins with it, if it is the only member.
  func add(_ loop: LogLoop) -> Int? {
    state.withLock { state in
      let begun = state.beginGenerationIfEmpty()
      state.loops.append(LoopState(loop: loop, handled: state.ordinal))
      return begun
    }
  }

  /// Removes a loop.
  ///
  /// - Returns: A Boolean value that indicates whether no member is left.
  func remove(_ loop: LogLoop) -> Bool {
    state.withLock { state in
      state.loops.removeAll { $0.loop === loop }
      state.settle(acknowledgement)
      return state.isEmpty
    }
  }

  /// Begins a generation for the current members, which receive no event any more that was read before.
  ///
  /// An event that a loop has at this moment stays unhandled.
  ///
  /// - Returns: The generation, or `nil` if there are no members.
  func interrupt() -> Int? {
    let (loops, generation, isEmpty) = state.withLock { state in
      state.generation += 1
      state.isPaused = false
      state.unhandled = []
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
      state.isPaused = state.loops.contains { $0.loop.isFull }
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
  /// - Returns: A Boolean value that indicates whether a member received it.
  func give(_ entry: DecodedEntry, _ generation: Int) -> Bool {
    guard let turn = turn(for: entry, generation) else { return false }
    var isTaken = false
    for subscriber in turn.subscribers where isSubscribed(subscriber.number) {
      subscriber.receive(entry)
      isTaken = true
    }
    for state in turn.loops { state.loop.give(entry, turn.ordinal, generation: generation) }
    guard turn.loops.isEmpty else { return true }
    if isTaken, acknowledgement == .automatic { acknowledge(entry.position, of: entry.id.producer) }
    return isTaken
  }

  /// The members that receive an event.
  private struct Turn {
    let subscribers: [Subscriber]
    let loops: [LoopState]
    let ordinal: UInt64
  }

  private func turn(for entry: DecodedEntry, _ generation: Int) -> Turn? {
    state.withLock { state -> Turn? in
      guard generation == state.generation else { return nil }
      state.cursor.give(entry.position, of: entry.id.producer)
      state.ordinal += 1
      if !state.loops.isEmpty { state.unhandled.append((state.ordinal, entry.id.producer, entry.position)) }
      return Turn(subscribers: state.subscribers, loops: state.loops, ordinal: state.ordinal)
    }
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
      if let handled {
        if let index = state.loops.firstIndex(where: { $0.loop === loop }) { state.loops[index].handled = handled }
        state.settle(acknowledgement)
      }
      return (state.cursor.isChanged && !state.isSaveDue, hasRoom && state.isPaused)
    }
  }

  func acknowledge(_ position: LogPosition, of producer: UUID) {
    state.withLock { $0.cursor.handle(position, of: producer) }
  }

  /// Records that an event is handled, unless it belongs to other contents than the cursor.
  func acknowledge(_ position: LogPosition, of producer: UUID, at swapCount: Int) {
    state.withLock { state in
      if state.swapCount == swapCount { state.cursor.handle(position, of: producer) }
    }
  }

  /// Returns a Boolean value that indicates whether an event is handled, even if reading has not reached it since it
  /// began.
  func hasHandled(_ sequence: UInt64, of producer: UUID) -> Bool {
    state.withLock { $0.cursor.hasHandled(sequence, of: producer) }
  }

  /// Records that reading has passed a position, before which only the delivered events still matter.
  func pass(_ position: LogPosition, of producer: UUID) {
    state.withLock { $0.cursor.pass(position, of: producer) }
  }

  // MARK: The cursor

  /// Begins at given positions.
  ///
  /// - Parameters:
  ///   - positions: The position at which each producer's events continue.
  ///   - swapCount: The number of the contents.
  func begin(from positions: [UUID: LogPosition], at swapCount: Int) {
    state.withLock { state in
      state.swapCount = swapCount
      state.cursor = LogCursor(positions)
      state.unhandled = []
      state.producers = []
    }
  }

  /// Records the producers that still have segments.
  ///
  /// The positions of other producers are forgotten after all of their events are handled.
  func know(_ producers: Set<UUID>) {
    state.withLock { $0.producers = producers }
  }

  /// The positions from which to continue after a crash.
  var positions: [UUID: LogPosition] { state.withLock { $0.cursor.positions } }

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
      return state.cursor.positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
    }
  }

  /// Marks the positions as unsaved again, after saving them has failed.
  func noteUnsaved() {
    state.withLock { $0.cursor.isChanged = true }
  }

  /// A Boolean value that indicates whether a handled event has not been saved.
  var isUnsaved: Bool { state.withLock { $0.cursor.isChanged } }

  /// Returns saved positions, advanced by the events that were handled but not saved in the same contents.
  func advance(_ saved: [UUID: LogPosition], at swapCount: Int) -> [UUID: LogPosition] {
    state.withLock { state in
      guard state.cursor.isChanged, state.swapCount == swapCount else { return saved }
      return state.cursor.positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
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
