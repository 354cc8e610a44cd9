public import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What one thread has changed inside `batch`, and tells nobody about until the outermost one is over.
@usableFromInline
final class BatchFrame {
  /// How many threads are inside a batch; each property has the address at hand, because each write asks.
  @usableFromInline nonisolated(unsafe) static let active: UnsafeMutablePointer<Atomic<Int>> = {
    // Sound: made once, never freed, atomic.
    let active = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: 1)
    active.initialize(to: Atomic(0))
    return active
  }()

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private var depth = 0
  private var holds: [Hold] = []
  private var list = FlushList()

  private init() {}

  /// The frame of this thread, if it is inside a batch.
  private static var current: BatchFrame? {
    pthread_getspecific(key).map { Unmanaged<BatchFrame>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether this thread is inside a batch.
  static var isEntered: Bool { active.pointee.load(ordering: .relaxed) > 0 && current != nil }

  /// Begins a batch on this thread, or one inside another.
  static func enter() -> BatchFrame {
    let frame: BatchFrame
    if let current {
      frame = current
    } else {
      frame = BatchFrame()
      pthread_setspecific(key, Unmanaged.passRetained(frame).toOpaque())
      active.pointee.add(1, ordering: .relaxed)
    }
    frame.depth += 1
    return frame
  }

  /// Ends a batch; if it is the outermost one, everybody hears of the changes.
  func leave() {
    depth -= 1
    guard depth == 0 else { return }
    // Everything is released before anybody is told of anything.
    var list = self.list
    self.list = FlushList()
    for hold in holds {
      hold.core.lock.withLock {
        hold.isReleased = true
        hold.core.place?.mark(&list)
        list.markPostponed()
      }
    }
    Self.active.pointee.subtract(1, ordering: .relaxed)
    pthread_setspecific(Self.key, nil)
    for hold in holds { hold.send() }
    list.flush()
    for hold in holds { hold.endAfterBatch() }
    Unmanaged.passUnretained(self).release()
  }

  /// Keeps a value that was just stored from being sent, if this thread is inside a batch.
  ///
  /// - Parameter core: The property's core, whose lock is held.
  /// - Returns: Whether there is a batch.
  @usableFromInline
  static func hold<Value>(_ core: PropertyCore<Value>) -> Bool {
    guard active.pointee.load(ordering: .relaxed) > 0, let frame = current else { return false }
    frame.hold(core)
    return true
  }

  private func hold<Value>(_ core: PropertyCore<Value>) {
    let place = core.place ?? GraphPlace()
    core.place = place
    if let hold = place.holds.first(where: { $0.frame == ObjectIdentifier(self) }) {
      hold.version = core.version
    } else {
      let hold = PropertyHold(of: core, frame: ObjectIdentifier(self), version: core.version)
      place.append(hold)
      holds.append(hold)
    }
    place.mark(&list)
    list.markPostponed()
  }
}

@available(*, unavailable)
extension BatchFrame: Sendable {}

/// One property that a batch has written.
@usableFromInline
class Hold: @unchecked Sendable {  // Sound: guarded by the core's lock.
  final let core: SourceCore
  final let frame: ObjectIdentifier

  /// The version of the value that the batch wrote last.
  @usableFromInline final var version: UInt64

  /// Whether the batch is over, so that all its values may be believed.
  final var isReleased = false

  /// Who has subscribed meanwhile, and which version each was given.
  ///
  /// They are not kept alive. Where one is gone and another in its memory, that one has been given the same version.
  @usableFromInline final var newcomers: [(node: ObjectIdentifier, version: UInt64)] = []

  init(core: SourceCore, frame: ObjectIdentifier, version: UInt64) {
    self.core = core
    self.frame = frame
    self.version = version
  }

  /// Sends the held value, unless a newer one has been sent.
  func send() {}

  /// Ends the property if it was let go of during the batch, unless another batch is still to send a value of it.
  func endAfterBatch() {}
}

/// The same, for whom the type of the value is known.
private final class PropertyHold<Value: Sendable>: Hold, @unchecked Sendable {  // Sound: see the superclass.
  private let property: PropertyCore<Value>

  init(of property: PropertyCore<Value>, frame: ObjectIdentifier, version: UInt64) {
    self.property = property
    super.init(core: property, frame: frame, version: version)
  }

  override func send() {
    property.send(held: self)
  }

  override func endAfterBatch() {
    property.endAfterBatch()
  }
}
