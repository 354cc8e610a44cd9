public import Synchronization

/// The list of subscribers.
///
/// The caller holds the turn.
extension SourceCore {
  /// Adds a subscriber at the end of the list, unless it has been cancelled.
  @usableFromInline
  final func append(_ node: SubscriberNode) {
    if node.isDead { return }
    if slotCount == capacity { makeRoom() }
    node.index = Int32(truncatingIfNeeded: slotCount)
    // Sound: the list owns this reference until `remove`, `removeAll` or `deinit`. The caller holds another one until
    // the turn passes on, which is a compare-and-exchange, so no other thread sees the list before the retain.
    (slots + Int(slotCount)).initialize(to: Unmanaged.passRetained(node))
    slotCount += 1
  }

  private final func makeRoom() {
    if holes > slotCount / 2 { return compact() }
    // Three pointers take as much memory as one.
    let roomierCapacity = max(3, capacity * 2)
    let roomier = UnsafeMutablePointer<Unmanaged<SubscriberNode>?>.allocate(capacity: Int(roomierCapacity))
    roomier.moveInitialize(from: slots, count: Int(slotCount))
    if capacity > 0 { slots.deallocate() }
    slots = roomier
    capacity = roomierCapacity
  }

  /// Closes the gaps without changing the order.
  private final func compact() {
    var next = 0
    for index in 0..<Int(slotCount) {
      guard let node = slots[index] else { continue }
      node._withUnsafeGuaranteedRef { $0.index = Int32(truncatingIfNeeded: next) }
      slots[next] = node
      next += 1
    }
    slotCount = UInt32(next)
    holes = 0
  }

  /// Removes a subscriber from the list, if it is there, and releases it.
  final func remove(_ node: SubscriberNode) {
    let index = Int(node.index)
    guard index >= 0 else { return }
    node.index = -1
    let retained = slots[index]
    if index == Int(slotCount) - 1 {
      slotCount -= 1
      while slotCount > 0, slots[Int(slotCount) - 1] == nil {
        slotCount -= 1
        holes -= 1
      }
    } else {
      slots[index] = nil
      holes += 1
      if holes > 16, holes > slotCount / 2 { compact() }
    }
    retained?.release()
  }

  /// Removes the subscribers that were cancelled while the turn was taken.
  @usableFromInline
  final func sweep() {
    guard hasAbandoned.load(ordering: .acquiring) else { return }
    let nodes = lock.withLock {
      hasAbandoned.store(false, ordering: .relaxed)
      return exchange(&abandoned, with: [])
    }
    for node in nodes { remove(node) }
  }

  /// Empties the list after the end, so that tokens no longer retain their subscribers' captures.
  @usableFromInline
  final func removeAll() {
    let ended = UnsafeMutableBufferPointer(start: slots, count: Int(slotCount))
    lock.withLock {
      var live: UInt32 = 0
      // Sound: the list owns a reference to each node until the loop below.
      for node in ended { node?._withUnsafeGuaranteedRef { live += unlink($0) ? 1 : 0 } }
      interest.wrappingSubtract(live, ordering: .relaxed)
    }
    let list = slots
    let wasAllocated = capacity > 0
    slots = SourceCore.noSlots
    slotCount = 0
    capacity = 0
    holes = 0
    // Released last: the `deinit` of a captured value may run code.
    for node in ended { node?.release() }
    if wasAllocated { list.deallocate() }
  }
}

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

/// A message from a source to a subscriber other than a value; none is on the hot path.
@usableFromInline
enum SubscriberMessage<Failure: Error> {
  /// The signal has ended.
  case completion(SignalCompletion<Failure>)

  /// A query whether the subscriber needs no more values.
  ///
  /// The subscriber writes the answer to the pointer.
  case isDone(UnsafeMutablePointer<Bool>)

  /// A query for the subscriber itself.
  ///
  /// The subscriber writes itself to the pointer.
  case inspect(UnsafeMutablePointer<Any?>)
}

@available(*, unavailable)
extension SubscriberMessage: Sendable {}
