extension TestClock {
  /// Sleeps until the clock is advanced to a moment.
  ///
  /// - Parameters:
  ///   - deadline: The moment; if it is not in the future, this returns at once.
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

  /// Waits until so many things are due in the future: actions, and tasks that sleep; or until the task is cancelled.
  ///
  /// Use it before `advance(by:)` if a task that you started must have begun to sleep; unlike any amount of yielding,
  /// it is certain.
  ///
  /// - Parameter count: How many.
  public func waitUntilScheduled(_ count: Int = 1) async {
    let key = agenda.makeKey()
    await withTaskCancellationHandler {
      await withCheckedContinuation { agenda.watch(for: count, key: key, $0) }
    } onCancel: {
      agenda.dismiss(key)
    }
  }

  /// Lets time pass, doing all that is due meanwhile and letting the tasks that it wakes run.
  ///
  /// Before the first and after each thing that is done, tasks get a chance to run until they wait again, so that they
  /// may sleep anew within the same call. Swift does not tell when all tasks wait; the chance is a generous one, and
  /// ``waitUntilScheduled(_:)`` leaves nothing to chance.
  ///
  /// - Parameter duration: How much time; if it is not positive, only what is due already is done.
  public func advance(by duration: Duration) async {
    await settle()
    await advance(to: now.advanced(by: duration))
  }

  /// Lets time pass until a moment, doing all that is due until then and letting the tasks that it wakes run.
  ///
  /// - Parameter deadline: The moment; time does not go backwards if it has passed.
  public func advance(to deadline: Instant) async {
    await settle()
    while let event = agenda.next(until: deadline) {
      event()
      await settle()
    }
    agenda.move(to: deadline)
  }

  /// Lets time pass until nothing is due any more, letting the tasks that are woken run.
  ///
  /// - Parameter limit: How many things to do at most, since a timer never runs out.
  /// - Returns: Whether nothing is left.
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
    // Work of low priority comes after what is ready to run, in each of the rounds that one thing may lead to another.
    for _ in 0..<10 {
      await Task.detached(priority: .background) { await Task.yield() }.value
    }
  }
}
