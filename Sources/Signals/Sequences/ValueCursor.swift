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
