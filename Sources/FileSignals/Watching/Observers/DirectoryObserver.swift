public import Foundation
public import Signals

/// Observes the entries of a directory, or of a whole tree, through whatever becomes of it.
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
/// last, in the order in which the entries were first touched. The folders `.shared`, where ``DurableFile`` keeps its
/// locks, are left out; what else is told of can be chosen by a ``FileFilter``.
///
/// **Directories in the directory** are entries like files. A recursive observer also tells what happens inside them,
/// at any depth; what is in a directory that appears is told as ``FileEvent/Kind/created``, even if it was made before
/// the system could be asked about it, and what was in one that goes as deleted or moved. Symbolic links are entries,
/// and are not followed: nothing leads out of the directory, or round in a circle. Each directory takes one watch of
/// the system's; when there are no more, the observer polls, see ``WatchPolling``. One that may not be read leaves the
/// observer impaired.
///
/// **The directory itself** has events with its own URL. If it is deleted or moved, that one event stands for all that
/// was in it, and the observer waits for it to come back; when it does, that is ``FileEvent/Kind/created``, followed by
/// one event for each entry. The kind ``FileEvent/Kind/rescan`` means that the system lost track: what came and went is
/// told after it, what was written into is not, so look at all files again.
///
/// Threads, lifetime and limits are as for ``FileObserver``; when polled, files are compared by their content only if
/// they changed under observation or shortly before, and what comes and goes between two looks is not told. On Apple's
/// systems, writing into a file in place is not seen here, since they tell a directory's observers of its entries only;
/// observe the file for that. An entry whose name is no UTF-8 is not told of, nor what is in it.
public final class DirectoryObserver: Signal, Sendable {
  /// What happened to an entry, or to the directory.
  public typealias Element = FileEvent

  /// An observer cannot fail; see ``health``.
  public typealias Failure = Never

  private let observer: PathObserver

  /// Observes a directory from now on.
  ///
  /// - Parameters:
  ///   - url: The directory, which must exist.
  ///   - recursive: Whether to observe what is in its directories as well, at any depth.
  ///   - filter: Which entries to tell of, and which directories to enter.
  ///   - polling: Whether to look from time to time where the system does not tell of changes.
  /// - Throws: ``FileObserverError`` if it cannot be observed now. What happens to it later is told by ``health``.
  /// - Complexity: Linear in the number of entries that there are, which are looked at once.
  public init(
    _ url: URL, recursive: Bool = false, matching filter: FileFilter = .all, polling: WatchPolling = .automatic
  ) throws(FileObserverError) {
    observer = try PathObserver(
      path: Self.path(of: url), target: .directory,
      changes: DirectoryTree(url: url, isRecursive: recursive, filter: filter), polling: polling
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
    let path = url.path
    // Only this form shows it; `path` leaves it encoded, which would be the path of another directory.
    guard url.isFileURL, !path.isEmpty, !url.path(percentEncoded: false).utf8.contains(0) else {
      throw .invalidPath(url, reason: "it is not the path of a directory")
    }
    return path
  }
}
