/// The consumer's end of a channel: it takes all that waits in one go and serves it without further locking.
@usableFromInline
final class ValueCursor<Element: Sendable, Failure: Error> {
  @usableFromInline let channel: ValueChannel<Element, Failure>

  /// What has been taken from the channel and not yet been asked for.
  @exclusivity(unchecked) @usableFromInline var local = RingBuffer<Element>()

  @inlinable
  init(_ signal: some Signal<Element, Failure>, buffering: SignalBuffering) {
    channel = ValueChannel(buffering: buffering)
    channel.hold(signal.subscribe(ChannelSubscriber(channel: channel)))
  }

  deinit {
    channel.cancel()
  }

  @inlinable @inline(__always)
  func popLocal() -> Element? {
    if Task.isCancelled { return nil }
    return local.popFirst()
  }

  /// Takes what the channel has, waiting for it if need be.
  @inlinable
  func refill(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    while true {
      if Task.isCancelled {
        abandon()
        return nil
      }
      // Another task that shares the iterator may have taken more than it needed while this one waited.
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
