public import Foundation
public import Signals

/// An observer of one file, which continues when the file is replaced, deleted or created again.
///
/// The file may be written in place, replaced, deleted and created again. So may its directory and each symbolic link
/// in its path. The file need not exist yet. While nothing happens, nothing runs, unless the file is polled because the
/// system does not report its changes; see ``WatchPolling``.
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
/// - **Events:** The events of one burst are combined into one, which describes the change since the previous event.
///   Read the file for its current content. If you subscribe first and then read the file, you miss nothing. An event
///   of kind ``FileEvent/Kind/rescan`` means that the system lost events, so read the file again.
/// - **Threads:** Subscribers are called on the observer's own serial queue. A slow subscriber delays only itself and
///   the other subscribers of this observer.
/// - **Lifetime:** The file is observed from the initializer on, as long as there is a reference or a subscription to
///   the observer.
/// - **Databases:** Do not observe the file of an SQLite database that this process has open. On Apple's systems, and
///   where the file is polled, the observer opens and closes it, which releases SQLite's locks in the whole process.
/// - **Limits:** A write through a memory mapping, or through a hard link in another directory, is not detected. A
///   change by another machine on a network file system is detected at the next poll; ``health`` is then
///   ``WatchHealth/polling(every:because:)``. A poll compares the file's number, size and times. It also compares the
///   content, up to 4 MB, as long as the times are so recent that another change could have left them the same.
public final class FileObserver: Signal, Sendable {
  /// The type of the events.
  public typealias Element = FileEvent

  /// `Never`: an observer cannot fail; see ``health``.
  public typealias Failure = Never

  private let observer: PathObserver

  /// Creates an observer, which observes a file from now on.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must. To observe a directory, use ``DirectoryObserver``.
  ///   - polling: The rule for polling when the system does not report changes.
  /// - Throws: ``FileObserverError`` if there is a directory at the path, or if its directory cannot be observed now.
  ///   Later problems are reported by ``health``.
  public init(_ url: URL, polling: WatchPolling = .automatic) throws(FileObserverError) {
    let path = try Self.path(of: url)
    observer = try PathObserver(path: path, target: .file, changes: FileChanges(url: url), polling: polling)
    if FileStatus.ifReadable(path: path)?.kind == .directory { throw .isADirectory(url) }
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
    do {
      return try FileLocation.validPath(of: url)
    } catch {
      throw FileObserverError(error, url)
    }
  }
}

/// The known state of a file, from which events are derived.
struct FileChanges: ChangeInterpreter {
  let url: URL
  private(set) var known: FileStatus?
  /// The mark of the last poll, as long as the file is polled.
  private(set) var mark: FileMark?

  mutating func look(_ watch: PathChanges) {
    // What is known stays known until the file can be examined again.
    tolerating { known = try FileStatus(path: watch.path) }
    mark = watch.isPolling ? FileStamp.ifReadable(path: watch.path).map { FileMark($0, path: watch.path) } : nil
  }

  /// Returns the events for the changes of the file.
  mutating func events(after batch: PathChange, of watch: PathChanges) -> [FileEvent] {
    let old = known
    do throws(DurableFileError) {
      known = try FileStatus(path: watch.path)
    } catch {
      // The file may have any content, or be gone. A poll finds the same error again and again.
      return batch.isPoll ? [] : [FileEvent(kind: .rescan, url: url)]
    }
    let difference = compareMarks(watch)
    let kind = kind(after: batch, old: old, new: known) ?? (batch.isPoll ? difference : nil)
    // Content that was written in between cannot be detected.
    let kinds = batch.isOverflow ? [.rescan, kind] : [kind]
    return kinds.compactMap { $0 }.map { FileEvent(kind: $0, url: url) }
  }

  private func kind(after batch: PathChange, old: FileStatus?, new: FileStatus?) -> FileEvent.Kind? {
    let kinds = batch.events.reduce(into: WatchKinds()) { $0.formUnion($1.kinds) }
    let end: FileEvent.Kind = kinds.isDisjoint(with: [.movedOut, .selfMoved]) ? .deleted : .moved
    switch (old, new) {
    // The file may have been seen in between, so its end must be reported.
    case (nil, nil): return kinds.isDisjoint(with: [.created, .movedIn]) ? nil : end
    case (nil, _?): return .created
    case (_?, nil): return end
    case (let old?, let new?):
      if old.identity != new.identity { return .replaced }
      if batch.isOverflow { return nil }
      if batch.isRearmed { return .rescan }
      // A file system may reuse the number of the file that was replaced.
      if !kinds.isDisjoint(with: [.movedIn, .created]) { return .replaced }
      if kinds.contains(.written) { return .modified }
      guard kinds.contains(.attributes) else { return nil }
      // Some systems report a truncation as a change of attributes.
      return old.size == new.size ? .attributes : .modified
    }
  }

  /// Returns the difference that a poll finds, and stores the mark for the next one.
  private mutating func compareMarks(_ watch: PathChanges) -> FileEvent.Kind? {
    guard watch.isPolling || mark != nil, let stamp = FileStamp.ifReadable(path: watch.path) else {
      mark = nil
      return nil
    }
    guard mark != nil else {
      mark = FileMark(stamp, path: watch.path)
      return .rescan
    }
    let difference = mark?.update(stamp, path: watch.path)
    if !watch.isPolling { mark = nil }
    return switch difference {
    case .content: .modified
    case .attributes: .attributes
    case .none?, nil: nil
    }
  }
}
