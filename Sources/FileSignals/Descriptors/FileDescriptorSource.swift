public import Dispatch
public import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file descriptor as a signal: it sends how much is ready, whenever something is.
///
/// It works with whatever the system can wait for: pipes, sockets, terminals, and on Linux `eventfd`, `timerfd`,
/// `inotify`.
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
/// **Read what is announced.** The source is level-triggered: as long as something is ready, it says so again, so a
/// subscriber that does not read (or, for ``Events/writable``, does not fill the buffer or cancel) is called over and
/// over. While there is no subscriber, the source sleeps. A regular file is always ready; do not watch one with this,
/// but with ``FileObserver``.
///
/// **The end.** At the end of a pipe or a connection the source sends 0 or what is left, and reading then returns 0;
/// cancel the subscription or the source then.
///
/// **Lifetime.** The source lives while anybody refers to it or observes it. Subscribers are called on one serial
/// queue.
public final class FileDescriptorSource: Signal {
  /// How many bytes, or events, are ready.
  public typealias Element = Int

  /// A source cannot fail.
  public typealias Failure = Never

  /// What to wait for.
  public enum Events: Sendable, Hashable {
    /// There is something to read, or the other end is gone.
    case readable

    /// There is room to write, or the other end is gone.
    case writable
  }

  private struct State {
    var subscriberCount = 0
    var isCancelled = false
  }

  private let emitter = Emitter<Int, Never>()
  private let waiter: DescriptorWaiter
  /// Its lock also puts calls of the waiter in order.
  private let state = Guarded(State())

  /// Makes a source that waits for a descriptor from the first subscription on.
  ///
  /// - Parameters:
  ///   - fileDescriptor: An open descriptor.
  ///   - events: What to wait for.
  ///   - closesDescriptor: Whether the descriptor becomes the source's, which closes it exactly once, when nothing
  ///     waits for it any more. If not, the source waits on a duplicate of its own, and you may close yours at any
  ///     time.
  ///   - queue: Where subscribers are called, serially even if the queue is not; by default on a queue of the source's
  ///     own.
  /// - Throws: ``FileObserverError`` if the descriptor is not open, or no other is left to wait with. It is then still
  ///   the caller's, whatever `closesDescriptor` says.
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

  /// Makes a source that takes over a readable descriptor, and calls its subscribers on the thread that waited.
  ///
  /// A subscriber must return soon and read all there is: no later event is delivered meanwhile. It sends 1, because it
  /// does not count bytes.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor, which stays the caller's if this throws.
  ///   - afterwards: A closure for work that may take longer, called on the same thread after each delivery, when the
  ///     descriptor is waited for again.
  /// - Throws: ``FileObserverError`` if nothing is left to wait with.
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

  /// Stops waiting, closes the descriptor if it is the source's, and finishes the signal.
  ///
  /// It is closed soon after, when a call under way is over. May be called from any thread, any number of times.
  public func cancel() {
    let isFirst = state.withLock {
      guard !$0.isCancelled else { return false }
      $0.isCancelled = true
      waiter.cancel()
      return true
    }
    if isFirst { emitter.finish() }
  }

  /// Keeps the descriptor from waking a thread, until ``resume()`` has been called as often.
  ///
  /// A delivery under way goes on.
  package func pause() {
    state.withLock { if !$0.isCancelled { waiter.pause() } }
  }

  /// Ends a pause, and delivers what is ready by then.
  package func resume() {
    state.withLock { if !$0.isCancelled { waiter.endPause() } }
  }

  /// Attaches a subscriber, and returns the token that keeps it attached, and the source alive.
  ///
  /// - Parameter subscriber: Receives how much is ready, each time something is.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe<Subscriber: SignalSubscriber<Int, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    let subscription = emitter.subscribe(subscriber)
    enter()
    // Released when the subscription ends, which is what `leave` must learn of.
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
