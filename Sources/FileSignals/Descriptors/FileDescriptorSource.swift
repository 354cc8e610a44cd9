import CLibrary
public import Dispatch
public import Signals

/// A signal that sends the number of bytes that are ready, whenever a file descriptor is ready.
///
/// It works with every descriptor that the system can wait for: pipes, sockets, terminals, and on Linux `eventfd`,
/// `timerfd` and `inotify`.
///
/// ```swift
/// import FileSignals
/// import Foundation
/// import Signals
///
/// let pipe = Pipe()
/// let input = pipe.fileHandleForReading.fileDescriptor
/// let received = DispatchSemaphore(value: 0)
/// let subscription = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: false).sink { count in
///   var bytes = [UInt8](repeating: 0, count: count)
///   if read(input, &bytes, count) == count { print(String(decoding: bytes, as: UTF8.self)) }
///   received.signal()
/// }
/// pipe.fileHandleForWriting.write(Data("hello".utf8))
/// received.wait()  // Prints "hello"
/// subscription.cancel()
/// ```
///
/// - **Level-triggered:** While the descriptor is ready, the source keeps sending. A subscriber must therefore read the
///   bytes or, for ``Events/writable``, fill the buffer or cancel. While there is no subscriber, the source sleeps. A
///   regular file is always ready, so observe it with ``FileObserver`` instead.
/// - **End of file:** At the end of a pipe or a connection, the source sends 0 or the number of remaining bytes.
///   Reading then returns 0, and you should cancel the subscription or the source.
/// - **Lifetime:** The source lives as long as a reference or a subscription to it. Subscribers are called on one
///   serial queue.
public final class FileDescriptorSource: Signal {
  /// The type of the number of bytes, or events, that are ready.
  public typealias Element = Int

  /// `Never`: a source cannot fail.
  public typealias Failure = Never

  /// The event to wait for.
  @frozen
  public enum Events: Sendable, Hashable {
    /// Bytes can be read, or the other end has been closed.
    case readable

    /// Bytes can be written, or the other end has been closed.
    case writable
  }

  private struct State {
    var subscriberCount = 0
    var isCancelled = false
  }

  private let emitter = Emitter<Int, Never>()
  private let waiter: DescriptorWaiter
  /// The state.
  ///
  /// Its lock also serialises the calls of the waiter.
  private let state = Guarded(State())

  /// Creates a source that waits for a descriptor from the first subscription on.
  ///
  /// - Parameters:
  ///   - fileDescriptor: An open descriptor.
  ///   - events: The event to wait for.
  ///   - closesDescriptor: A Boolean value that determines whether the source takes ownership of the descriptor. If
  ///     `true`, it closes the descriptor exactly once, when it no longer waits. If `false`, it waits on a duplicate,
  ///     and you can close your descriptor at any time. At most one source may own a descriptor.
  ///   - queue: The queue on which subscribers are called, serially even if the queue is concurrent. By default, the
  ///     source has a queue of its own.
  /// - Throws: ``FileObserverError`` if the descriptor is not open, or if the process has no descriptor left to wait
  ///   with. The caller then keeps ownership, regardless of `closesDescriptor`.
  public init(
    fileDescriptor: CInt, events: Events = .readable, closesDescriptor: Bool, queue: DispatchQueue? = nil
  ) throws(FileObserverError) {
    let descriptor = closesDescriptor ? fileDescriptor : fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0, fcntl(descriptor, F_GETFD) >= 0 else {
      throw FileObserverError(errno, "wait for", "file descriptor \(fileDescriptor)")
    }
    let queue = DispatchQueue(label: "org.signals.descriptor", qos: .userInitiated, target: queue)
    do throws(FileObserverError) {
      waiter = try DescriptorWaiter(
        descriptor: descriptor, events: events, delivery: .queue(queue)
      ) { [emitter] in emitter.send($0) }
    } catch {
      if !closesDescriptor { close(descriptor) }
      throw error
    }
  }

  /// Creates a source that takes ownership of a readable descriptor and calls its subscribers on the thread that
  /// waited.
  ///
  /// A subscriber must read all bytes and return soon, because no later event is delivered during the call. The source
  /// sends 1, because it does not count bytes.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor. If this throws, the caller keeps ownership.
  ///   - afterwards: A closure for work that may take longer. It is called on the same thread after each delivery, when
  ///     the descriptor is waited for again.
  /// - Throws: ``FileObserverError`` if the process has no descriptor left to wait with.
  package init(
    inline descriptor: CInt, afterwards: @escaping @Sendable () -> Void
  ) throws(FileObserverError) {
    waiter = try DescriptorWaiter(
      descriptor: descriptor, events: .readable, delivery: .inline(afterwards: afterwards)
    ) { [emitter] in emitter.send($0) }
  }

  deinit {
    cancel()
  }

  /// Stops waiting, closes the descriptor if the source owns it, and finishes the signal.
  ///
  /// The descriptor is closed as soon as no call is in progress. You can call this method from any thread, any number
  /// of times.
  public func cancel() {
    let isFirst = state.withLock {
      guard !$0.isCancelled else { return false }
      $0.isCancelled = true
      waiter.cancel()
      return true
    }
    if isFirst { emitter.finish() }
  }

  /// Prevents the descriptor from waking a thread until the matching call of ``resume()``.
  ///
  /// A delivery that is in progress continues.
  package func pause() {
    state.withLock { if !$0.isCancelled { waiter.pause() } }
  }

  /// Ends a pause, and delivers an event if the descriptor is ready.
  package func resume() {
    state.withLock { if !$0.isCancelled { waiter.endPause() } }
  }

  /// Attaches a subscriber and returns a token that keeps both the subscription and the source alive.
  ///
  /// - Parameter subscriber: The subscriber. It receives the number of bytes whenever the descriptor is ready.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe(_ subscriber: some SignalSubscriber<Int, Never>) -> SignalSubscription {
    let subscription = emitter.subscribe(subscriber)
    enter()
    // Released when the subscription ends, which calls `leave`.
    return subscription.keepAlive(SignalSubscription { self.leave() })
  }

  private func enter() {
    state.withLock {
      $0.subscriberCount += 1
      if $0.subscriberCount == 1, !$0.isCancelled { waiter.resume() }
    }
  }

  private func leave() {
    state.withLock {
      $0.subscriberCount -= 1
      if $0.subscriberCount == 0, !$0.isCancelled { waiter.suspend() }
    }
  }
}

/// The thread or queue on which a descriptor's subscribers are called.
enum DescriptorDelivery: Sendable {
  /// Asynchronously on a serial queue.
  case queue(DispatchQueue)

  /// On the thread that waited for the descriptor, so that no other thread has to be woken.
  ///
  /// Another thread waits during the call.
  ///
  /// The closure runs on the same thread after the call, when the descriptor is waited for again. Do long work there,
  /// because it does not delay later events.
  case inline(afterwards: @Sendable () -> Void)
}
