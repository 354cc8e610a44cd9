import Foundation
import Signals

/// Who listens to a feed, and what they have handled.
final class LogAudience: @unchecked Sendable {  // Sound: all is guarded by the lock.
  private struct Subscriber {
    let number: UInt64
    let receive: @Sendable (DecodedEntry) -> Void
  }

  private struct LoopState {
    let loop: LogLoop
    /// The last event that it has handled.
    var handled: UInt64
  }

  private let acknowledgement: LogAcknowledgement
  private let lock = Lock()
  private var subscribers: [Subscriber] = []
  private var lastNumber: UInt64 = 0
  private var loops: [LoopState] = []
  private var cursor = LogCursor()
  /// How many events have been given out.
  private var ordinal: UInt64 = 0
  /// What loops were given and have not all handled, in order.
  private var unhandled: [(ordinal: UInt64, producer: UUID, position: LogPosition)] = []
  /// Whether reading waits until a loop asks for more.
  private var isPaused = false
  private var isSaveDue = false
  /// The producers of whom something is left, if that is known.
  private var producers: Set<UUID> = []
  /// Counts how often somebody came to an empty place: what is read for those before is not for those after.
  private var generation = 0

  init(_ acknowledgement: LogAcknowledgement) {
    self.acknowledgement = acknowledgement
  }

  // MARK: Coming and going

  /// Whether anybody wants events.
  var isEmpty: Bool { lock.withLock { isEmptyLocked } }

  private var isEmptyLocked: Bool { subscribers.isEmpty && loops.isEmpty }

  /// - Returns: What to remove it with, and the generation that begins with it, if it is the only one.
  func add(_ receive: @escaping @Sendable (DecodedEntry) -> Void) -> (number: UInt64, generation: Int?) {
    lock.withLock {
      let begun = beginGenerationIfEmpty()
      lastNumber += 1
      subscribers.append(Subscriber(number: lastNumber, receive: receive))
      return (lastNumber, begun)
    }
  }

  private func beginGenerationIfEmpty() -> Int? {
    guard isEmptyLocked else { return nil }
    generation += 1
    return generation
  }

  /// - Returns: Whether nobody is left.
  func remove(_ number: UInt64) -> Bool {
    let (removed, isLast) = lock.withLock {
      let index = subscribers.firstIndex { $0.number == number }
      return (index.map { subscribers.remove(at: $0) }, isEmptyLocked)
    }
    // What it captured may have something to say when it is released.
    withExtendedLifetime(removed) {}
    return isLast
  }

  /// - Returns: The generation that begins with it, if it is the only one.
  func add(_ loop: LogLoop) -> Int? {
    lock.withLock {
      let begun = beginGenerationIfEmpty()
      loops.append(LoopState(loop: loop, handled: ordinal))
      return begun
    }
  }

  /// - Returns: Whether nobody is left.
  func remove(_ loop: LogLoop) -> Bool {
    lock.withLock {
      loops.removeAll { $0.loop === loop }
      settle()
      return isEmptyLocked
    }
  }

  /// Whether nobody has come to an empty place since a generation began.
  func isCurrent(_ generation: Int) -> Bool { lock.withLock { generation == self.generation } }

  // MARK: Giving out

  /// Whether there is somebody who can take more of what is read for this generation.
  func checkAppetite(_ generation: Int) -> Bool {
    lock.withLock {
      isPaused = loops.contains { $0.loop.isFull }
      return generation == self.generation && !isEmptyLocked && !isPaused
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
    for state in turn.loops { state.loop.give(entry, turn.ordinal) }
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
    lock.withLock { () -> Turn? in
      guard generation == self.generation else { return nil }
      cursor.give(entry.position, of: entry.id.producer)
      ordinal += 1
      if !loops.isEmpty { unhandled.append((ordinal, entry.id.producer, entry.position)) }
      return Turn(subscribers: subscribers, loops: loops, ordinal: ordinal)
    }
  }

  private func isSubscribed(_ number: UInt64) -> Bool {
    lock.withLock { subscribers.contains { $0.number == number } }
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
    lock.withLock {
      if let handled {
        if let index = loops.firstIndex(where: { $0.loop === loop }) { loops[index].handled = handled }
        settle()
      }
      return (cursor.isChanged && !isSaveDue, isHungry && isPaused)
    }
  }

  /// Takes note of what all loops have handled; to be called with the lock held.
  private func settle() {
    // When the last one leaves, what it has not handled waits for the next, unless others have had it.
    guard !isEmptyLocked else { return unhandled = [] }
    let least = loops.reduce(.max) { min($0, $1.handled) }
    let count = unhandled.prefix { $0.ordinal <= least }.count
    guard count > 0 else { return }
    if acknowledgement == .automatic {
      for (_, producer, position) in unhandled[..<count] { cursor.handle(position, of: producer) }
    }
    unhandled.removeFirst(count)
  }

  func acknowledge(_ position: LogPosition, of producer: UUID) {
    lock.withLock { cursor.handle(position, of: producer) }
  }

  /// Whether an event is handled, also if it has not been read since the last beginning.
  func hasHandled(_ sequence: UInt64, of producer: UUID) -> Bool {
    lock.withLock { cursor.hasHandled(sequence, of: producer) }
  }

  /// Takes note that nobody is interested in anything up to a place, but for what was given out.
  func pass(_ position: LogPosition, of producer: UUID) {
    lock.withLock { cursor.pass(position, of: producer) }
  }

  // MARK: The cursor

  /// Begins at some places.
  ///
  /// - Parameter positions: Where each producer's events go on.
  func begin(from positions: [UUID: LogPosition]) {
    lock.withLock {
      cursor = LogCursor(positions)
      unhandled = []
      producers = []
    }
  }

  /// Takes note of the producers of whom something is left; the places of others are forgotten once all is handled.
  func know(_ producers: Set<UUID>) {
    lock.withLock { self.producers = producers }
  }

  /// Where to go on after a crash.
  var positions: [UUID: LogPosition] { lock.withLock { cursor.positions } }

  /// What to save now.
  ///
  /// - Returns: Where to go on after a crash.
  func positionsToSave() -> [UUID: LogPosition] {
    lock.withLock {
      if !producers.isEmpty { cursor.keep(only: producers) }
      cursor.isChanged = false
      return cursor.positions
    }
  }

  /// What to save now, if somebody else may have been the consumer meanwhile.
  ///
  /// - Parameter saved: Where the consumer is to go on, as far as is saved.
  /// - Returns: Where to go on after a crash.
  func positionsToSave(besides saved: [UUID: LogPosition]) -> [UUID: LogPosition] {
    lock.withLock {
      cursor.isChanged = false
      return cursor.positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
    }
  }

  /// Takes back that what was to be saved is.
  func noteUnsaved() {
    lock.withLock { cursor.isChanged = true }
  }

  /// Whether something was handled that is not saved.
  var isUnsaved: Bool { lock.withLock { cursor.isChanged } }

  /// Where to go on, if some places are saved and what is not saved counts, too.
  func advance(_ saved: [UUID: LogPosition]) -> [UUID: LogPosition] {
    lock.withLock {
      guard cursor.isChanged else { return saved }
      return cursor.positions.merging(saved) { $0.isAfter($1) ? $0 : $1 }
    }
  }

  /// Whether the caller is to save, because there is something new and nobody else is about to.
  func claimSaving() -> Bool {
    lock.withLock {
      guard cursor.isChanged, !isSaveDue else { return false }
      isSaveDue = true
      return true
    }
  }

  /// Takes the claim back.
  ///
  /// - Returns: Whether there still is something to save.
  func releaseSaving() -> Bool {
    lock.withLock {
      isSaveDue = false
      return cursor.isChanged
    }
  }
}
