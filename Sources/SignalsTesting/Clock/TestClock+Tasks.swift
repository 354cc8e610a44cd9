extension TestClock {
  /// Sleeps until the clock is advanced to an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant. If it is not in the future, this method returns at once.
  ///   - tolerance: Ignored, since the clock is exact.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let key = agenda.makeKey()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { agenda.sleep(until: deadline, key: key, $0) }
    } onCancel: {
      agenda.wake(key)
    }
  }

  /// Waits until a number of events are scheduled in the future, or until the task is cancelled.
  ///
  /// Scheduled actions and sleeping tasks both count as events.
  ///
  /// Call it before `advance(by:)` if a task that you started must be sleeping by then. Unlike any number of yields, it
  /// is reliable. Events that were scheduled before count, too: if an operator already waits, wait for one more. The
  /// wait has no time limit.
  ///
  /// - Parameter count: The number of events.
  public func waitUntilScheduled(_ count: Int = 1) async {
    let key = agenda.makeKey()
    await withTaskCancellationHandler {
      await withCheckedContinuation { agenda.watch(for: count, key: key, $0) }
    } onCancel: {
      agenda.dismiss(key)
    }
  }

  /// Advances the time, runs everything that becomes due, and lets the tasks that it wakes run.
  ///
  /// Before the first event and after each event, tasks can run until they wait again, so they can sleep again within
  /// the same call. Swift does not report when all tasks are waiting, so this method only gives them ample time. To be
  /// certain, call ``waitUntilScheduled(_:)``.
  ///
  /// - Parameter duration: The duration. If it is not positive, only events that are already due are run.
  public func advance(by duration: Duration) async {
    await settle()
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the time to an instant, runs everything that becomes due, and lets the tasks that it wakes run.
  ///
  /// - Parameter deadline: The instant. If it has passed, the time does not go backwards.
  public func advance(to deadline: Instant) async {
    await settle()
    while let event = agenda.next(until: deadline) {
      event()
      await settle()
    }
    agenda.move(to: deadline)
  }

  /// Advances the time until nothing is scheduled, and lets the tasks that it wakes run.
  ///
  /// - Parameter limit: The maximum number of events to run, since a timer never ends.
  /// - Returns: `true` if nothing is scheduled any more.
  @discardableResult
  public func run(limit: Int = 100_000) async -> Bool {
    await settle()
    var count = 0
    while count < limit, let event = agenda.next(until: nil) {
      event()
      count += 1
      await settle()
    }
    return agenda.count == 0
  }

  /// Lets the tasks that can run do so.
  private func settle() async {
    // Low-priority work runs after everything that is ready. Several rounds are needed, because one event may cause
    // another.
    for _ in 0..<10 {
      await Task.detached(priority: .background) { await Task.yield() }.value
    }
  }
}
