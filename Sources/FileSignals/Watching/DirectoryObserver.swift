public import Foundation
public import Signals

/// Observes the entries of one directory, through whatever becomes of it.
///
/// ```swift
/// import FileSignals
/// import Foundation
/// import Signals
///
/// let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
/// let seen = DispatchSemaphore(value: 0)
///
/// let subscription = try DirectoryObserver(folder).sink { event in
///   print(event.kind, event.url.lastPathComponent)
///   seen.signal()
/// }
/// try DurableFile.write(Data(), to: folder.appending(path: "inbox"))
/// seen.wait()  // Prints "created inbox"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: folder)
/// ```
///
/// The events of one burst are joined: there is at most one for each entry, which says what has become of it since the
/// last, in the order in which the entries were first touched. Directories within the directory are entries like files;
/// what happens inside them is not seen. The folder `.shared`, where ``DurableFile`` keeps its locks, is left out.
///
/// Events about the directory itself have its own URL. If it is deleted or moved, the observer waits for it to come
/// back; when it does, that is ``FileEvent/Kind/created``, followed by one event for each entry that differs. The kind
/// ``FileEvent/Kind/rescan`` means that the system lost track: list the directory again.
///
/// Threads, lifetime and limits are as for ``FileObserver``. On Apple's systems, writing into a file in place is not
/// seen here, since they tell a directory's observers of its entries only; observe the file for that.
public final class DirectoryObserver: Signal, Sendable {
  /// What happened to an entry, or to the directory.
  public typealias Element = FileEvent

  /// An observer cannot fail; see ``health``.
  public typealias Failure = Never

  private let emitter = Emitter<FileEvent, Never>()
  private let watch: PathWatch

  /// Observes a directory from now on.
  ///
  /// - Parameter url: The directory, which must exist.
  /// - Throws: ``FileObserverError`` if it cannot be watched now. What happens to it later is told by ``health``.
  public convenience init(_ url: URL) throws(FileObserverError) {
    try self.init(url, backend: WatchHub.shared())
  }

  init(_ url: URL, backend: any WatchBackend) throws(FileObserverError) {
    let path = url.path
    guard url.isFileURL, !path.isEmpty, !url.path(percentEncoded: false).utf8.contains(0) else {
      throw .invalidPath(url, reason: "it is not the path of a directory")
    }
    let changes = DirectoryChanges(url: url)
    watch = try PathWatch(path: path, target: .directory, backend: backend, queue: nil) { [emitter] watch, batch in
      for event in changes.events(after: batch, of: watch) { emitter.send(event) }
    }
    changes.look(at: path)
    watch.start()
  }

  /// Whether changes are seen.
  public var health: Property<WatchHealth> { watch.health }

  /// Attaches a subscriber, and returns the token that keeps it attached, and the observer alive.
  ///
  /// - Parameter subscriber: Receives each event.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe<Subscriber: SignalSubscriber<FileEvent, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    emitter.subscribe(subscriber).keepAlive(self)
  }
}
