/// Rings at a deadline that may be moved, on any clock; each subscription to an operator that waits has one.
///
/// On a ``SchedulingClock``, each deadline is scheduled there. On any other clock, one task sleeps until the deadline
/// and then looks whether it has been moved meanwhile, so that putting it off, as every value does that a
/// ``Signal/debounce(for:clock:)`` receives, costs no more than storing it.
@usableFromInline
package final class Alarm<C: Clock>: @unchecked Sendable where C.Duration == Duration {
  // Sound: the state is guarded by the lock.

  /// Called with the deadline that is over, with no lock held.
  ///
  /// By then, another thread may have set a later one: the caller compares.
  @usableFromInline package typealias Ring = @Sendable (C.Instant) -> Void

  private let clock: C
  private let alarmClock: (any SchedulingClock<C.Instant>)?
  private let lock = Lock()

  /// What to call; `nil` once the alarm is switched off for good.
  @exclusivity(unchecked) private var ring: Ring?

  /// When to ring, if at all.
  @exclusivity(unchecked) private var deadline: C.Instant?

  /// The task that sleeps, and until when; it ends when it finds no deadline.
  @exclusivity(unchecked) private var sleeper: Task<Void, Never>?
  @exclusivity(unchecked) private var wakeUp: C.Instant?

  /// Counts the tasks, or what is scheduled, so that one that was replaced is known.
  @exclusivity(unchecked) private var generation = 0

  /// What is scheduled on an alarm clock.
  @exclusivity(unchecked) private var scheduled: SignalSubscription?

  @usableFromInline
  package init(clock: C) {
    self.clock = clock
    alarmClock = clock as? any SchedulingClock<C.Instant>
  }

  /// Says what to call.
  ///
  /// The closure usually holds what holds the alarm: ``stop()`` breaks that circle.
  @usableFromInline
  package func start(_ ring: @escaping Ring) {
    lock.withLock { self.ring = ring }
  }

  /// Sets or moves the deadline.
  @usableFromInline
  package func set(_ deadline: C.Instant) {
    if alarmClock != nil { schedule(deadline) } else { sleep(until: deadline) }
  }

  /// Does not ring, until the next deadline is set.
  @usableFromInline
  package func unset() {
    let old = lock.withLock {
      deadline = nil
      return scheduled.take()
    }
    old?.cancel()
  }

  /// Never rings again, and lets go of what it would have called.
  @usableFromInline
  package func stop() {
    let old = lock.withLock {
      deadline = nil
      generation += 1
      return (ring.take(), sleeper.take(), scheduled.take())
    }
    old.1?.cancel()
    old.2?.cancel()
  }

  // MARK: On an alarm clock

  private func schedule(_ deadline: C.Instant) {
    let begun = lock.withLock { () -> (number: Int, old: SignalSubscription?)? in
      guard ring != nil else { return nil }
      self.deadline = deadline
      generation += 1
      return (generation, scheduled.take())
    }
    guard let begun else { return }
    begun.old?.cancel()
    // The clock may call on another thread before this one goes on, so all that the call looks for is there by now.
    let token = alarmClock?.schedule(at: deadline) { [weak self] in self?.expire(deadline) }
    let isCurrent = lock.withLock {
      guard ring != nil, generation == begun.number else { return false }
      scheduled = token
      return true
    }
    if !isCurrent { token?.cancel() }
  }

  private func expire(_ deadline: C.Instant) {
    let ring = lock.withLock { () -> Ring? in
      guard self.deadline == deadline else { return nil }
      self.deadline = nil
      return self.ring
    }
    ring?(deadline)
  }

  // MARK: On any other clock

  private func sleep(until deadline: C.Instant) {
    let replaced = lock.withLock { () -> Task<Void, Never>? in
      guard ring != nil else { return nil }
      self.deadline = deadline
      // A task that wakes up before the deadline will see it; one that would wake up after it is of no use.
      if sleeper != nil, let wakeUp, wakeUp <= deadline { return nil }
      let replaced = sleeper
      generation += 1
      wakeUp = deadline
      sleeper = Task.detached { [self, generation] in await watch(generation) }
      return replaced
    }
    replaced?.cancel()
  }

  /// Rings at each deadline until there is none.
  private func watch(_ generation: Int) async {
    while let deadline = next(generation) {
      do {
        try await clock.sleep(until: deadline, tolerance: nil)
      } catch {
        // Cancelled: by then another task has taken this one's place, or nobody waits any more.
        return
      }
      if let ring = take(deadline, generation) { ring(deadline) }
    }
  }

  /// The deadline to sleep until.
  private func next(_ generation: Int) -> C.Instant? {
    lock.withLock {
      guard generation == self.generation else { return nil }
      wakeUp = deadline
      if deadline == nil { sleeper = nil }
      return deadline
    }
  }

  /// What to call, if the deadline that was slept for still holds and is over.
  private func take(_ deadline: C.Instant, _ generation: Int) -> Ring? {
    guard clock.now >= deadline else { return nil }
    return lock.withLock {
      guard generation == self.generation, self.deadline == deadline else { return nil }
      self.deadline = nil
      return ring
    }
  }
}
