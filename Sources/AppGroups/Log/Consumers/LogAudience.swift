import Foundation
import Signals

/// The subscribers and loops of a feed, and the events that they have handled.
///
/// They are not those of a source of the core, which may deliver on a thread that subscribes or cancels at that moment.
/// A log calls its subscribers on its queue only, and has to know whether one of them took an event.
final class LogAudience: Sendable {
  private struct Subscriber {
    let number: UInt64
    let subscriber: any Sendable
    let receive: @Sendable (DecodedEntry) -> Void
  }

  private struct LoopState {
    let loop: LogLoop
    /// The last event that it has handled.
    var handled: UInt64
  }

  private struct State {
    var subscribers: [Subscriber] = []
    var lastNumber: UInt64 = 0
    var loops: [LoopState] = []
    var cursor = LogCursor()
    /// How many events have been given out.
    var ordinal: UInt64 = 0
    /// What loops were given and have not all handled, in order.
    var unhandled: [(ordinal: UInt64, producer: UUID, position: LogPosition)] = []
    /// Whether reading waits until a loop asks for more.
    var isPaused = false
    var isSaveDue = false
    /// The producers of whom something is left, if that is known.
    var producers: Set<UUID> = []
    /// Counts how often somebody came to an empty place: what is read for those before is not for those after.
    var generation = 0
    /// The number of the contents that the cursor is a place in.
    var swapCount = 0

    var isEmpty: Bool { subscribers.isEmpty && loops.isEmpty }

    mutating func beginGenerationIfEmpty() -> Int? {
      guard isEmpty else { return nil }
      generation += 1
      return generation
    }

    /// Takes note of what all loops have handled.
    mutating func settle(_ acknowledgement: LogAcknowledgement) {
      // When the last one leaves, what it has not handled waits for the next, unless others have had it.
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

  // MARK: Coming and going

  /// The subscribers in the order in which they came, and the number of loops.
  var members: (subscribers: [any Sendable], loopCount: Int) {
    state.withLock { ($0.subscribers.map(\.subscriber), $0.loops.count) }
  }

  /// Whether anybody wants events.
  var isEmpty: Bool { state.withLock { $0.isEmpty } }

  /// - Returns: What to remove it with, and the generation that begins with it, if it is the only one.
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

  /// - Returns: Whether nobody is left.
  func remove(_ number: UInt64) -> Bool {
    // What it captured may run code when it is released.
    state.replace { state in
      state.subscribers.firstIndex { $0.number == number }.map { state.subscribers.remove(at: $0) }
    }
    return isEmpty
  }

  /// - Returns: The generation that begins with it, if it is the only one.
  func add(_ loop: LogLoop) -> Int? {
    state.withLock { state in
      let begun = state.beginGenerationIfEmpty()
      state.loops.append(LoopState(loop: loop, handled: state.ordinal))
      return begun
    }
  }

  /// - Returns: Whether nobody is left.
  func remove(_ loop: LogLoop) -> Bool {
    state.withLock { state in
      state.loops.removeAll { $0.loop === loop }
      state.settle(acknowledgement)
      return state.isEmpty
    }
  }

  /// Begins a generation for those who are there, who get no event any more that was read before.
  ///
  /// - Returns: The generation, or `nil` if nobody is there.
  func interrupt() -> Int? {
    let (loops, generation, isEmpty) = state.withLock { state in
      state.generation += 1
      state.isPaused = false
      return (state.loops.map(\.loop), state.generation, state.isEmpty)
    }
    for loop in loops { loop.drop(before: generation) }
    return isEmpty ? nil : generation
  }

  /// Whether nobody has come to an empty place since a generation began.
  func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

  // MARK: Giving out

  /// Whether there is somebody who can take more of what is read for this generation.
  func checkAppetite(_ generation: Int) -> Bool {
    state.withLock { state in
      state.isPaused = state.loops.contains { $0.loop.isFull }
      return generation == state.generation && !state.isEmpty && !state.isPaused
    }
  }

  /// Gives an event to everybody of a generation.
  ///
  /// - Parameters:
  ///   - entry: The event.
  ///   - generation: For whom it was read.
  /// - Returns: Whether somebody took it.
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

  /// Those who get an event.
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

  // MARK: What is handled

  /// Takes note that a loop has handled an event.
  ///
  /// - Parameters:
  ///   - handled: Which, if any.
  ///   - loop: The loop.
  ///   - isHungry: Whether it has room for more.
  /// - Returns: Whether there is something to save, and whether reading must go on.
  func note(_ handled: UInt64?, by loop: LogLoop, isHungry: Bool) -> (isSaveDue: Bool, isDrainDue: Bool) {
    state.withLock { state in
      if let handled {
        if let index = state.loops.firstIndex(where: { $0.loop === loop }) { state.loops[index].handled = handled }
        state.settle(acknowledgement)
      }
      return (state.cursor.isChanged && !state.isSaveDue, isHungry && state.isPaused)
    }
  }

  func acknowledge(_ position: LogPosition, of producer: UUID) {
    state.withLock { $0.cursor.handle(position, of: producer) }
  }

  /// Takes note that an event is handled, unless it belongs to other contents than the cursor.
  func acknowledge(_ position: LogPosition, of producer: UUID, at swapCount: Int) {
    state.withLock { state in
      if state.swapCount == swapCount { state.cursor.handle(position, of: producer) }
    }
  }

  /// Whether an event is handled, also if it has not been read since the last beginning.
  func hasHandled(_ sequence: UInt64, of producer: UUID) -> Bool {
    state.withLock { $0.cursor.hasHandled(sequence, of: producer) }
  }

  /// Takes note that nobody is interested in anything up to a place, but for what was given out.
  func pass(_ position: LogPosition, of producer: UUID) {
    state.withLock { $0.cursor.pass(position, of: producer) }
  }

  // MARK: The cursor

  /// Begins at some places.
  ///
  /// - Parameters:
  ///   - positions: Where each producer's events go on.
  ///   - swapCount: The number of the contents.
  func begin(from positions: [UUID: LogPosition], at swapCount: Int) {
    state.withLock { state in
      state.swapCount = swapCount
      state.cursor = LogCursor(positions)
      state.unhandled = []
      state.producers = []
    }
  }

  /// Takes note of the producers of whom something is left; the places of others are forgotten once all is handled.
  func know(_ producers: Set<UUID>) {
    state.withLock { $0.producers = producers }
  }

  /// Where to go on after a crash.
  var positions: [UUID: LogPosition] { state.withLock { $0.cursor.positions } }

  /// What to save now.
  ///
  /// - Returns: Where to go on after a crash.
  func positionsToSave() -> [UUID: LogPosition] {
    state.withLock { state in
      if !state.producers.isEmpty { state.cursor.keep(only: state.producers) }
      state.cursor.isChanged = false
      return state.cursor.positions
    }
  }

  /// What to save now, if somebody else may have been the consumer meanwhile.
  ///
  /// - Parameter saved: Where the consumer is to go on, as far as is saved.
  /// - Returns: Where to go on after a crash.
  func positionsToSave(besides saved: [UUID: LogPosition]) -> [UUID: LogPosition] {
    state.withLock { state in
      state.cursor.isChanged = false
      return state.cursor.positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
    }
  }

  /// Takes back that what was to be saved is.
  func noteUnsaved() {
    state.withLock { $0.cursor.isChanged = true }
  }

  /// Whether something was handled that is not saved.
  var isUnsaved: Bool { state.withLock { $0.cursor.isChanged } }

  /// Where to go on, if some places are saved and what is not saved counts, too, unless that is of other contents.
  func advance(_ saved: [UUID: LogPosition], at swapCount: Int) -> [UUID: LogPosition] {
    state.withLock { state in
      guard state.cursor.isChanged, state.swapCount == swapCount else { return saved }
      return state.cursor.positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
    }
  }

  /// Whether the caller is to save, because there is something new and nobody else is about to.
  func claimSaving() -> Bool {
    state.withLock { state in
      guard state.cursor.isChanged, !state.isSaveDue else { return false }
      state.isSaveDue = true
      return true
    }
  }

  /// Takes the claim back.
  ///
  /// - Returns: Whether there still is something to save.
  func releaseSaving() -> Bool {
    state.withLock { state in
      state.isSaveDue = false
      return state.cursor.isChanged
    }
  }
}
