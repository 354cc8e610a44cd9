/// A queue between a signal and one asynchronous loop.
@usableFromInline
final class ValueChannel<Element: Sendable, Failure: Error>: InputReceiver, @unchecked Sendable {
  // Sound: the lock guards the state.

  /// The result of an attempt to take values.
  @usableFromInline
  enum Supply: Sendable {
    case values
    case ended(SignalCompletion<Failure>)
    case nothing
  }

  @usableFromInline let lock = Lock()
  @usableFromInline let limit: Int
  @usableFromInline let keepsNewest: Bool

  @exclusivity(unchecked) @usableFromInline var buffer = RingBuffer<Element>()
  @exclusivity(unchecked) @usableFromInline var waiter: UnsafeContinuation<Void, Never>?

  /// Further waiting tasks: several tasks of one actor may share an iterator.
  @exclusivity(unchecked) @usableFromInline var otherWaiters: [UnsafeContinuation<Void, Never>] = []

  @exclusivity(unchecked) @usableFromInline var completion: SignalCompletion<Failure>?
  @exclusivity(unchecked) @usableFromInline var dropped = 0
  @exclusivity(unchecked) private var subscription: SignalSubscription?

  @usableFromInline
  init(buffering: SignalBuffering) {
    switch buffering {
    case .unbounded: (limit, keepsNewest) = (.max, true)
    case .newest(let count): (limit, keepsNewest) = (max(1, count), true)
    case .oldest(let count): (limit, keepsNewest) = (max(1, count), false)
    }
  }

  var droppedCount: Int { lock.withLock { dropped } }

  // MARK: The producer's side

  @inlinable @inline(__always)
  func receive(_ value: Element, from key: Void) {
    lock.lock()
    guard completion == nil else { return lock.unlock() }
    var replaced: Element?
    if buffer.count < limit {
      buffer.append(value)
    } else {
      dropped &+= 1
      if keepsNewest {
        replaced = buffer.popFirst()
        buffer.append(value)
      }
    }
    let waiter = self.waiter.take()
    if waiter != nil, !otherWaiters.isEmpty { self.waiter = otherWaiters.removeFirst() }
    lock.unlock()
    waiter?.resume()
    withExtendedLifetime(replaced) {}
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>, from key: Void) {
    let waiters = lock.withLock {
      if self.completion == nil { self.completion = completion }
      return takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  @inlinable @inline(__always)
  func isDone(_ key: Void) -> Bool { false }

  /// Removes and returns the continuations of all waiting tasks.
  ///
  /// The caller holds the lock.
  private func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
    guard let first = waiter.take() else { return [] }
    return [first] + exchange(&otherWaiters, with: [])
  }

  // MARK: The consumer's side

  /// Keeps the subscription that feeds the channel.
  @usableFromInline
  func hold(_ subscription: SignalSubscription) {
    lock.withLock { self.subscription = subscription }
  }

  /// Moves buffered values to the consumer.
  ///
  /// Without a limit, this swaps the whole buffer with the consumer's empty one, whose memory is reused. With a limit,
  /// it moves a single value, because a value that has been taken can no longer be replaced by a newer one.
  @inlinable @inline(__always)
  func take(into local: inout RingBuffer<Element>) -> Supply {
    lock.lock()
    defer { lock.unlock() }
    if limit < .max, let value = buffer.popFirst() {
      local.append(value)
      return .values
    }
    if !buffer.isEmpty {
      // The memory of a burst must not be kept forever.
      if local.capacity > 4096 { local = RingBuffer() }
      swap(&local, &buffer)
      return .values
    }
    guard let completion else { return .nothing }
    // A failure is thrown once. After that the loop finds the end, as in every asynchronous sequence.
    self.completion = .finished
    return .ended(completion)
  }

  /// Waits until there is something to take, or the task is cancelled.
  @usableFromInline
  func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: actor) { continuation in
          let isReady = lock.withLock {
            if !buffer.isEmpty || completion != nil { return true }
            if waiter == nil { waiter = continuation } else { otherWaiters.append(continuation) }
            return false
          }
          if isReady { continuation.resume() }
        }
      },
      onCancel: { cancel() },
      isolation: actor
    )
  }

  /// Cancels the subscription and drops the buffered values; the consumer then finds the end.
  @usableFromInline
  func cancel() {
    lock.lock()
    let abandoned = exchange(&buffer, with: RingBuffer())
    let subscription = self.subscription.take()
    if completion == nil { completion = .finished }
    let waiters = takeWaiters()
    lock.unlock()
    subscription?.cancel()
    for waiter in waiters { waiter.resume() }
    withExtendedLifetime(abandoned) {}
  }
}

/// The consumer's end of a channel.
///
/// It takes the buffered values in one step and returns them without further locking.
@usableFromInline
final class ValueCursor<Element: Sendable, Failure: Error> {
  @usableFromInline let channel: ValueChannel<Element, Failure>

  /// The values that have been taken from the channel and not yet returned.
  @exclusivity(unchecked) @usableFromInline var local = RingBuffer<Element>()

  @inlinable
  init(_ signal: some Signal<Element, Failure>, buffering: SignalBuffering) {
    channel = ValueChannel(buffering: buffering)
    channel.hold(signal.subscribe(HubInput(channel)))
  }

  deinit {
    channel.cancel()
  }

  @inlinable @inline(__always)
  func popLocal() -> Element? {
    if Task.isCancelled { return nil }
    return local.popFirst()
  }

  /// Takes values from the channel, and waits for one if necessary.
  @inlinable
  func refill(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    while true {
      if Task.isCancelled {
        abandon()
        return nil
      }
      // While this task waited, another one that shares the iterator may have taken more values than it needed.
      if let value = local.popFirst() { return value }
      switch channel.take(into: &local) {
      case .values: return local.popFirst()
      case .ended(.finished): return nil
      case .ended(.failure(let error)): throw error
      case .nothing: await channel.wait(isolation: actor)
      }
    }
  }

  @usableFromInline
  func abandon() {
    local = RingBuffer()
    channel.cancel()
  }
}

@available(*, unavailable)
extension ValueCursor: Sendable {}
