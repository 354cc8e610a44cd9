public import Foundation
public import Signals

/// Observes one file, through whatever becomes of it.
///
/// The file may be written in place, replaced by another, deleted and made again; so may its directory, and each
/// symbolic link on the way. It need not exist yet. While nothing happens, nothing runs, except where the system does
/// not tell of changes, see ``WatchPolling``.
///
/// ```swift
/// import FileSignals
/// import Foundation
/// import Signals
///
/// let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
/// let file = folder.appending(path: "settings.json")
/// let seen = DispatchSemaphore(value: 0)
///
/// let subscription = try FileObserver(file).sink { event in
///   print(event.kind)
///   seen.signal()
/// }
/// try DurableFile.write(Data("{}".utf8), to: file)
/// seen.wait()  // Prints "created"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: folder)
/// ```
///
/// **Look at the file, not at the event.** Events that come in one burst are joined into one, which says what has
/// become of the file since the last; the file itself says what is true now. Subscribe first and read the file then,
/// and you miss nothing. An event of kind ``FileEvent/Kind/rescan`` means that the system lost track: read again.
///
/// **Threads.** Subscribers are called on a serial queue of the observer's own: a slow one delays only itself and the
/// other subscribers of this observer.
///
/// **Lifetime.** The file is watched from the initializer on, until nobody refers to the observer or subscribes to it.
///
/// **Limits.** A write into a memory-mapped file, or through a hard link in another directory, is not seen. Changes
/// that another machine makes on a network file system are seen at the next look: ``health`` is
/// ``WatchHealth/polling(every:because:)`` there. A look tells by the file's number, size and times what has changed,
/// and by its content, up to 4 MB, as long as the times are so young that another change could have left the same.
public final class FileObserver: Signal, Sendable {
  /// What happened to the file.
  public typealias Element = FileEvent

  /// An observer cannot fail; see ``health``.
  public typealias Failure = Never

  private let observer: PathObserver

  /// Observes a file from now on.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - polling: Whether to look from time to time where the system does not tell of changes.
  /// - Throws: ``FileObserverError`` if the directory cannot be observed now. What happens to it later is told by
  ///   ``health``.
  public init(_ url: URL, polling: WatchPolling = .automatic) throws(FileObserverError) {
    observer = try PathObserver(
      path: Self.path(of: url), target: .file, changes: FileChanges(url: url), polling: polling
    )
  }

  /// Whether changes are seen.
  public var health: Property<WatchHealth> { observer.watch.health }

  /// Attaches a subscriber, and returns the token that keeps it attached, and the observer alive.
  ///
  /// - Parameter subscriber: Receives each event.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe<Subscriber: SignalSubscriber<FileEvent, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    observer.emitter.subscribe(subscriber).keepAlive(self)
  }

  /// The path to watch for a URL.
  static func path(of url: URL) throws(FileObserverError) -> String {
    do {
      return try FileLocation.validPath(of: url)
    } catch {
      throw FileObserverError(error, url)
    }
  }
}
