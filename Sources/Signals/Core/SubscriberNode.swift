public import Synchronization

/// One subscriber in a source's list: a chain of operators, erased to a single closure.
///
/// The closure is an immutable field of a final class, and both its parameters are raw pointers. A source can therefore
/// call it without reference counting and without a thunk.
@usableFromInline
final class SubscriberNode: @unchecked Sendable {
  // Sound: `status` is atomic; `index` belongs to the holder of the source's turn, `token` and `backlog` to its lock.

  /// A function that receives a pointer to a value or to a ``SubscriberMessage``; the other one is `nil`.
  @usableFromInline typealias Body = @Sendable (_ value: UnsafeRawPointer?, _ message: UnsafeRawPointer?) -> Void

  /// The states of a subscriber, which determine whether the source may call it.
  @usableFromInline
  enum Status: Sendable {
    /// The subscriber receives values.
    @usableFromInline static let live: UInt8 = 0
    /// The subscription has ended.
    @usableFromInline static let dead: UInt8 = 1
    /// The subscriber's own thread is delivering the current value to it.
    ///
    /// Later values wait in its backlog.
    @usableFromInline static let joining: UInt8 = 2
  }

  @usableFromInline let body: Body
  @usableFromInline let status = Atomic<UInt8>(Status.live)

  /// The index in the source's list, or -1.
  @exclusivity(unchecked) var index: Int32 = -1

  /// The token, as long as it can cancel this subscriber.
  @exclusivity(unchecked) var token: Unmanaged<SignalSubscription>?

  /// The deliveries that wait while the subscriber is joining.
  @exclusivity(unchecked) @usableFromInline var backlog: [@Sendable (SubscriberNode) -> Void] = []

  @usableFromInline
  init(_ body: @escaping Body) {
    self.body = body
  }

  /// A Boolean value that indicates whether the subscription has ended.
  @usableFromInline
  var isDead: Bool { status.load(ordering: .relaxed) == Status.dead }
}
