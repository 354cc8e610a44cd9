public import Synchronization

/// One subscriber in a source's list: a whole chain of operators, erased to a single closure.
///
/// The closure is an immutable field of a final class, and both its parameters are raw pointers: that is what lets a
/// source call it without touching a reference count and without a thunk.
@usableFromInline
final class SubscriberNode: @unchecked Sendable {
  // Sound: `status` is atomic; `index` belongs to the holder of the source's turn, `token` and `backlog` to its lock.

  /// Takes a pointer to a value, or one to a ``SubscriberMessage``; the other is `nil`.
  @usableFromInline typealias Body = @Sendable (_ value: UnsafeRawPointer?, _ message: UnsafeRawPointer?) -> Void

  /// Whether the source may call the subscriber.
  @usableFromInline
  enum Status: Sendable {
    /// The subscriber takes values.
    @usableFromInline static let live: UInt8 = 0
    /// The subscription is over.
    @usableFromInline static let dead: UInt8 = 1
    /// The subscriber is being given the current value by its own thread; what comes now waits in its backlog.
    @usableFromInline static let joining: UInt8 = 2
  }

  @usableFromInline let body: Body
  @usableFromInline let status = Atomic<UInt8>(Status.live)

  /// The place in the source's list, or -1.
  @exclusivity(unchecked) var index = -1

  /// The token, for as long as it can still cancel this subscriber.
  @exclusivity(unchecked) var token: Unmanaged<SignalSubscription>?

  /// What was sent while the subscriber was joining.
  @exclusivity(unchecked) @usableFromInline var backlog: [@Sendable (SubscriberNode) -> Void] = []

  @usableFromInline
  init(_ body: @escaping Body) {
    self.body = body
  }

  /// Whether the subscription is over.
  @usableFromInline
  var isDead: Bool { status.load(ordering: .relaxed) == Status.dead }
}
