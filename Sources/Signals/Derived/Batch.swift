import CLibrary
public import Synchronization

/// Combines several writes to properties into one change.
///
/// Every reader sees each write immediately, but subscribers are notified only when the thread's outermost batch ends,
/// even if `body` throws. At that point, each property that was written sends its last value once. Each derived value
/// sends its new value once, computed from all the new inputs.
///
/// ```swift
/// import Signals
///
/// let first = MutableProperty("Ada")
/// let last = MutableProperty("Byron")
/// let name = Property.derived(first, last) { "\($0) \($1)" }
/// let subscription = name.sink { print($0) }  // Prints "Ada Byron"
/// batch {
///   first.value = "Augusta"
///   last.value = "King"
/// }
/// // Prints "Augusta King"
/// ```
///
/// A subscriber that joins inside the batch receives the value that can be read there. When the batch ends, it receives
/// only the changes made since.
///
/// Values that other threads send, and values sent by an ``Emitter``, are not held back. See <doc:/Docs/DerivedValues>.
///
/// - Parameter body: A closure that writes the properties, on the calling thread.
/// - Returns: The result of `body`.
/// - Throws: The error that `body` throws. The writes that it made before are kept and sent.
public func batch<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let frame = BatchFrame.enter()
  defer { frame.leave() }
  return try body()
}

/// A batch that one function of a thread begins and another one ends.
///
/// Use it when changes are made while a lock is held, and sent after it has been released. Everywhere else, call
/// ``batch(_:)``. Until the batch ends, its thread must not run user code.
package struct OpenBatch: ~Copyable {
  private let frame: BatchFrame

  /// Begins a batch on the calling thread.
  package init() {
    frame = BatchFrame.enter()
  }

  /// Ends the batch on the thread that began it.
  ///
  /// Sends the changes, unless an outer batch is open.
  package consuming func end() {
    frame.leave()
  }
}

@available(*, unavailable)
extension OpenBatch: Sendable {}

/// The changes that one thread has made inside `batch`, which are sent when the outermost batch ends.
@usableFromInline
final class BatchFrame {
  /// The number of threads that are inside a batch.
  ///
  /// Each property stores this address, because every write reads it.
  @usableFromInline nonisolated(unsafe) static let active: UnsafeMutablePointer<Atomic<Int>> = {
    // Sound: created once, never freed, atomic.
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
    // Sound: the thread owns the frame from `enter()` to the end of `leave()`, and no other thread sees it.
    pthread_getspecific(key).map { Unmanaged<BatchFrame>.fromOpaque($0).takeUnretainedValue() }
  }

  /// A Boolean value that indicates whether this thread is inside a batch.
  static var isEntered: Bool { active.pointee.load(ordering: .relaxed) > 0 && current != nil }

  /// Begins a batch on this thread, or a nested one.
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

  /// Ends a batch.
  ///
  /// If it is the outermost one, sends the changes.
  func leave() {
    depth -= 1
    guard depth == 0 else { return }
    // All changes are released before any of them is sent.
    var list = exchange(&self.list, with: FlushList())
    for hold in holds {
      hold.core.lock.withLock {
        hold.isReleased = true
        hold.core.place?.markDependents(&list)
        list.markPostponed()
      }
    }
    Self.active.pointee.subtract(1, ordering: .relaxed)
    pthread_setspecific(Self.key, nil)
    for hold in holds { hold.core.send(held: hold) }
    list.flush()
    for hold in holds { hold.core.endAfterBatch() }
    // The thread's reference; the caller owns another one.
    Unmanaged.passUnretained(self).release()
  }

  /// Holds back a value that was just stored, if this thread is inside a batch.
  ///
  /// - Parameter core: The property's core. The caller holds its lock.
  /// - Returns: `true` if this thread is inside a batch.
  @usableFromInline
  static func hold<Value>(_ core: PropertyCore<Value>) -> Bool {
    guard active.pointee.load(ordering: .relaxed) > 0, let frame = current else { return false }
    frame.hold(core)
    return true
  }

  private func hold<Value>(_ core: PropertyCore<Value>) {
    let place = core.makePlace()
    if let hold = place.holds.first(where: { $0.frame == ObjectIdentifier(self) }) {
      hold.version = core.version
    } else {
      let hold = Hold(of: core, frame: ObjectIdentifier(self), version: core.version)
      place.append(hold)
      holds.append(hold)
    }
    place.markDependents(&list)
    list.markPostponed()
  }
}

@available(*, unavailable)
extension BatchFrame: Sendable {}

/// A property that a batch has written.
@usableFromInline
final class Hold: @unchecked Sendable {  // Sound: guarded by the core's lock.
  let core: SourceCore
  let frame: ObjectIdentifier

  /// The version of the last value that the batch wrote.
  @usableFromInline var version: UInt64

  /// A Boolean value that indicates whether the batch has ended, so that its values are final.
  var isReleased = false

  /// The subscribers that joined during the batch, each with the version that it received.
  ///
  /// They are not kept alive. If a new subscriber takes the memory of a released one, it has received the same version.
  @usableFromInline var newcomers: [(node: ObjectIdentifier, version: UInt64)] = []

  init(of core: SourceCore, frame: ObjectIdentifier, version: UInt64) {
    (self.core, self.frame, self.version) = (core, frame, version)
  }
}
