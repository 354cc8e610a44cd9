public import Foundation
public import Signals

/// An observer of the entries of a directory, or of a whole directory tree.
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
/// - **Events:** The events of one burst are combined. There is at most one event for each entry, which describes the
///   change since the previous one. Events are in the order in which the entries first changed. The folders `.shared`,
///   in which ``DurableFile`` stores its locks, are skipped. A ``FileFilter`` selects further.
/// - **Subdirectories:** Directories in the directory are entries, like files. A recursive observer also reports
///   changes inside them, at any depth. When a directory appears, its contents are reported as
///   ``FileEvent/Kind/created``, including files that were created before it was watched. When a directory
///   disappears, its contents are reported as deleted or moved. Symbolic links are entries and are not followed, so the
///   observer never leaves the directory or follows a cycle. Each directory needs one watch of the system. If there are
///   none left, the observer polls; see ``WatchPolling``. A directory that cannot be read makes the observer impaired.
/// - **The directory itself:** Events for the directory have its own URL. If it is deleted or moved, a single event
///   represents all its entries, and the observer waits until the directory exists again. That is reported as
///   ``FileEvent/Kind/created``, followed by one event for each entry. An event of kind ``FileEvent/Kind/rescan`` means
///   that the system lost events. Entries that appeared or disappeared are reported after it, but changes of content
///   are not, so read all files again.
/// - **Limits:** Threads, lifetime and limits are the same as for ``FileObserver``. When the observer polls, it
///   compares the content of a file only if the file changed during the observation or shortly before. Entries that
///   appear and disappear between two polls are not reported. On Apple's systems, writing a file in place is not
///   detected, because only changes of entries are reported there. Observe that file instead. Entries whose names are
///   not UTF-8 are ignored, including everything inside them.
public final class DirectoryObserver: Signal, Sendable {
  /// The type of the event of an entry, or of the directory.
  public typealias Element = FileEvent

  /// `Never`: an observer cannot fail; see ``health``.
  public typealias Failure = Never

  private let observer: PathObserver

  /// Creates an observer, which observes a directory from now on.
  ///
  /// Events before the first subscription are not kept. Subscribe first, then list the directory.
  ///
  /// - Parameters:
  ///   - url: The directory, which must exist.
  ///   - recursive: A Boolean value that determines whether subdirectories are observed as well, at any depth.
  ///   - filter: The entries to report, and the directories to enter.
  ///   - polling: The rule for polling when the system does not report changes.
  /// - Throws: ``FileObserverError`` if the directory cannot be observed now. Later problems are reported by
  ///   ``health``.
  /// - Complexity: O(*n*) in the number of existing entries, each of which is examined once.
  public init(
    _ url: URL, recursive: Bool = false, matching filter: FileFilter = .all, polling: WatchPolling = .automatic
  ) throws(FileObserverError) {
    observer = try Self.observer(of: url, recursive, filter, polling, .current)
  }

  /// Creates an observer that can rest; see ``rest()``.
  package init(
    resting url: URL, recursive: Bool = false, matching filter: FileFilter = .all
  ) throws(FileObserverError) {
    observer = try Self.observer(of: url, recursive, filter, .automatic, .resting)
  }

  private static func observer(
    of url: URL, _ isRecursive: Bool, _ filter: FileFilter, _ polling: WatchPolling, _ source: WatchSource
  ) throws(FileObserverError) -> PathObserver {
    try PathObserver(
      path: path(of: url), target: .directory,
      changes: DirectoryTree(url: url, isRecursive: isRecursive, filter: filter), polling: polling, source: source)
  }

  /// Lets changes gather without waking a thread, until the token is cancelled or released.
  ///
  /// The processes that make the changes then need not wake this one. All observers that can rest, rest together.
  package func rest() -> SignalSubscription {
    observer.watch.rest()
  }

  /// The ability of the observer to detect changes.
  ///
  /// A subscription to it does not keep the observer alive. It no longer changes after the observer is released.
  public var health: Property<WatchHealth> { observer.watch.health }

  /// Attaches a subscriber and returns a token that keeps both the subscription and the observer alive.
  ///
  /// - Parameter subscriber: The subscriber. It receives each event.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe(_ subscriber: some SignalSubscriber<FileEvent, Never>) -> SignalSubscription {
    observer.emitter.subscribe(subscriber).keepAlive(self)
  }

  /// Returns the path to watch for a URL.
  static func path(of url: URL) throws(FileObserverError) -> String {
    let path = url.path
    // Only this form reveals it. `path` leaves it encoded, and so names a different directory.
    guard url.isFileURL, !path.isEmpty, !url.path(percentEncoded: false).utf8.contains(0) else {
      throw .invalidPath(url, reason: "it is not the path of a directory")
    }
    return path
  }
}
