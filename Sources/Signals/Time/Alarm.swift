/// An alarm with a deadline that can be moved, on any clock.
///
/// Each subscription to an operator that waits has one.
///
/// On a ``SchedulingClock``, each deadline is scheduled with the clock. On any other clock, one task sleeps until the
/// deadline and then checks whether it has been moved. Postponing the deadline, as ``Signal/debounce(for:clock:)`` does
/// for every value, therefore costs no more than storing it.
@usableFromInline
package final class Alarm<C: Clock>: SubscriptionOwner, @unchecked Sendable where C.Duration == Duration {
  // Sound: the lock guards the state.

  /// A function that is called with the deadline that has passed.
  ///
  /// No lock is held.
  ///
  /// Another thread may have set a later deadline by that time, so the receiver compares the two.
  @usableFromInline package typealias Ring = @Sendable (C.Instant) -> Void

  private let clock: C
  private let alarmClock: (any SchedulingClock<C.Instant>)?
  private let lock = Lock()

  /// The function to call; `nil` after the alarm has been stopped.
  @exclusivity(unchecked) private var ring: Ring?

  /// The deadline, if one is set.
  @exclusivity(unchecked) private var deadline: C.Instant?

  /// The task that sleeps, and the instant until which it sleeps.
  ///
  /// The task ends when it finds no deadline.
  @exclusivity(unchecked) private var sleeper: Task<Void, Never>?
  @exclusivity(unchecked) private var wakeUp: C.Instant?

  /// A Boolean value that indicates whether the task is calling the function.
  ///
  /// It is not cancelled then, because the function may be code of the user. The task checks afterwards what to do.
  @exclusivity(unchecked) private var isRinging = false

  /// The number of tasks or scheduled calls so far, by which an outdated one is recognised.
  @exclusivity(unchecked) private var generation = 0

  /// The call that is scheduled with a scheduling clock.
  @exclusivity(unchecked) private var scheduled: SignalSubscription?

  @usableFromInline
  package init(clock: C) {
    self.clock = clock
    alarmClock = clock as? any SchedulingClock<C.Instant>
  }

  /// Sets the function to call.
  ///
  /// The closure usually keeps the owner of the alarm alive; ``stop()`` breaks that cycle.
  @usableFromInline
  package func start(_ ring: @escaping Ring) {
    lock.withLock { self.ring = ring }
  }

  /// Sets or moves the deadline.
  @usableFromInline
  package func set(_ deadline: C.Instant) {
    if alarmClock != nil { schedule(deadline) } else { sleep(until: deadline) }
  }

  /// Removes the deadline.
  @usableFromInline
  package func unset() {
    let old = lock.withLock {
      deadline = nil
      return scheduled.take()
    }
    old?.cancel()
  }

  /// Stops the alarm for good and releases the function.
  @usableFromInline
  package func stop() {
    let old = lock.withLock {
      deadline = nil
      generation += 1
      return (ring.take(), isRinging ? nil : sleeper.take(), scheduled.take())
    }
    old.1?.cancel()
    old.2?.cancel()
  }

  package override func cancel(_ subscription: SignalSubscription) {
    stop()
  }

  // MARK: On a scheduling clock

  private func schedule(_ deadline: C.Instant) {
    let begun = lock.withLock { () -> (number: Int, old: SignalSubscription?)? in
      guard ring != nil else { return nil }
      self.deadline = deadline
      generation += 1
      return (generation, scheduled.take())
    }
    guard let begun else { return }
    begun.old?.cancel()
    // The clock may call on another thread before this call returns, so the state must be complete before it.
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
      // A task that wakes up before the deadline will see it. A task that would wake up later must be replaced.
      if sleeper != nil, let wakeUp, isRinging || wakeUp <= deadline { return nil }
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
      // At most 63 years at once: the system's clocks stop the program if a deadline does not fit into their seconds,
      // and `.seconds(Int64.max)` is a natural way to write "no limit". The loop sleeps again until the deadline.
      let (now, limit) = (clock.now, Duration.seconds(2_000_000_000))
      do {
        let isFar = now.duration(to: deadline) > limit
        try await clock.sleep(until: isFar ? now.advanced(by: limit) : deadline, tolerance: nil)
      } catch {
        // Another task has replaced this one, or the alarm has been stopped.
        if Task.isCancelled { return }
        // Otherwise the operator would stay silent forever.
        Signals.stop(because: "A \(C.self) threw \(error) from sleep, although its task was not cancelled")
      }
      if let ring = take(deadline, generation) { ring(deadline) }
    }
  }

  /// Returns the deadline to sleep until.
  private func next(_ generation: Int) -> C.Instant? {
    lock.withLock {
      guard generation == self.generation else { return nil }
      isRinging = false
      wakeUp = deadline
      if deadline == nil { sleeper = nil }
      return deadline
    }
  }

  /// Returns the function to call, if the deadline of the sleep is still set and has passed.
  private func take(_ deadline: C.Instant, _ generation: Int) -> Ring? {
    guard clock.now >= deadline else { return nil }
    return lock.withLock {
      guard generation == self.generation, self.deadline == deadline else { return nil }
      self.deadline = nil
      isRinging = true
      return ring
    }
  }
}

extension Alarm {
  /// Calls a function once, after a pause.
  ///
  /// - Returns: A token. After it has been cancelled or released, the function is not called any more.
  @usableFromInline
  static func call(after pause: Duration, on clock: C, _ action: @escaping @Sendable () -> Void) -> SignalSubscription {
    let alarm = Alarm(clock: clock)
    alarm.start { _ in action() }
    alarm.set(clock.now.advanced(by: pause))
    return SignalSubscription(owner: alarm)
  }
}

/// A clock that can call a function at an instant, without a task that sleeps until then.
///
/// Operators that work with time accept any `Clock`. With most clocks, each subscription has a task that sleeps until
/// its next deadline. A clock that conforms to this protocol calls back instead, and thereby controls exactly when
/// everything happens. A test's virtual clock uses this to run everything that is due within the call that advances it.
public protocol SchedulingClock<Instant>: Clock {
  /// Schedules a function to be called once at an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant of the call. Calls for the same instant are made in the order in which they were
  ///     scheduled. If the instant has passed, the call is made as soon as possible, but never before this method has
  ///     returned.
  ///   - action: The function to call. No lock is held during the call, and the function may schedule further calls.
  /// - Returns: A token. After it has been cancelled or released, the function is not called any more.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> SignalSubscription
}
