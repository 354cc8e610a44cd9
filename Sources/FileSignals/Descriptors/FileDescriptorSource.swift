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
/// It works with whatever the system can wait for: pipes, sockets, terminals, and on Linux `eventfd`, `timerfd`, `inotify`.
///
/// ```swift
/// import FileSignals
/// import Foundation
/// import Signals
///
/// let pipe = Pipe()
/// let input = pipe.fileHandleForReading.fileDescriptor
/// let received = DispatchSemaphore(value: 0)
/// let subscription = FileDescriptorSource(fileDescriptor: input, closesDescriptor: false).sink { count in
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
/// subscriber that does not read (or, for ``Events/writable``, does not fill the buffer or cancel) is called over and over.
/// While there is no subscriber, the source sleeps. A regular file is always ready; do not watch one with this, but with
/// ``FileObserver``.
///
/// **The end.** At the end of a pipe or a connection the source sends 0 or what is left, and reading then returns 0; cancel
/// the subscription or the source then.
///
/// **Lifetime.** The source lives while anybody refers to it or observes it. Subscribers are called on one serial queue.
public final class FileDescriptorSource: Signal, @unchecked Sendable {
  // Sound: the source is safe to use from any thread; what changes is guarded by the lock.

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

  private let emitter = Emitter<Int, Never>()
  private let source: any DispatchSourceProtocol
  private let lock = Lock()
  private var subscriberCount = 0
  private var isCancelled = false

  /// Makes a source that waits for a descriptor from the first subscription on.
  ///
  /// - Parameters:
  ///   - fileDescriptor: An open descriptor. One that is not open stops the program: its number could be anybody's by the
  ///     time something happens.
  ///   - events: What to wait for.
  ///   - closesDescriptor: Whether the descriptor becomes the source's, which closes it exactly once, when nothing waits
  ///     for it any more. If not, the source waits on a duplicate of its own, and you may close yours at any time.
  ///   - queue: The serial queue on which subscribers are called; by default one of the source's own.
  public init(
    fileDescriptor: CInt, events: Events = .readable, closesDescriptor: Bool, queue: DispatchQueue? = nil
  ) {
    let descriptor = closesDescriptor ? fileDescriptor : fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
    precondition(
      descriptor >= 0 && fcntl(descriptor, F_GETFD) >= 0,
      "The file descriptor \(fileDescriptor) cannot be watched: \(errorWords(errno))"
    )
    let queue = queue ?? DispatchQueue(label: "org.signals.descriptor", qos: .userInitiated)
    // The handlers hold the source, until cancelling it lets go of them.
    switch events {
    case .readable:
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [emitter] in emitter.send(Int(source.data)) }
      self.source = source
    case .writable:
      let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [emitter] in emitter.send(Int(source.data)) }
      self.source = source
    }
    // Closed any earlier, the number could be given to another file, whose source would then never fire.
    source.setCancelHandler { close(descriptor) }
    // A source that was never activated must not be released, and one that is suspended neither.
    source.activate()
    source.suspend()
  }

  deinit {
    cancel()
  }

  /// Stops waiting, closes the descriptor if it is the source's, and finishes the signal.
  ///
  /// It is closed soon after, when a call under way is over. May be called from any thread, any number of times.
  public func cancel() {
    let isFirst = lock.withLock {
      guard !isCancelled else { return false }
      isCancelled = true
      if subscriberCount == 0 { source.resume() }
      source.cancel()
      return true
    }
    if isFirst { emitter.finish() }
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
    lock.withLock {
      subscriberCount += 1
      if subscriberCount == 1, !isCancelled { source.resume() }
    }
  }

  private func leave() {
    lock.withLock {
      subscriberCount -= 1
      if subscriberCount == 0, !isCancelled { source.suspend() }
    }
  }
}
