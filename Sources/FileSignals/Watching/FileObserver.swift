public import Foundation
public import Signals

/// Observes one file, through whatever becomes of it.
///
/// The file may be written in place, replaced by another, deleted and made again; so may its directory, and each
/// symbolic link on the way. It need not exist yet. Nothing is polled: while nothing happens, nothing runs.
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
/// **Limits.** A write into a memory-mapped file, or through a hard link in another directory, is not seen; nor are
/// changes that another machine makes on a network file system.
public final class FileObserver: Signal, Sendable {
  /// What happened to the file.
  public typealias Element = FileEvent

  /// An observer cannot fail; see ``health``.
  public typealias Failure = Never

  private let emitter = Emitter<FileEvent, Never>()
  private let watch: PathWatch

  /// Observes a file from now on.
  ///
  /// - Parameter url: The file, which need not exist; its directory must.
  /// - Throws: ``FileObserverError`` if the directory cannot be watched now. What happens to it later is told by
  ///   ``health``.
  public convenience init(_ url: URL) throws(FileObserverError) {
    try self.init(url, backend: WatchHub.shared())
  }

  init(_ url: URL, backend: any WatchBackend) throws(FileObserverError) {
    let path = try Self.path(of: url)
    let changes = FileChanges(url: url)
    watch = try PathWatch(path: path, target: .file, backend: backend, queue: nil) { [emitter] watch, batch in
      if let event = changes.event(after: batch, of: watch) { emitter.send(event) }
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

  /// The path to watch for a URL.
  static func path(of url: URL) throws(FileObserverError) -> String {
    do {
      return try FileLocation.validPath(of: url)
    } catch {
      throw FileObserverError(error, url)
    }
  }
}

/// Compares what a file is with what it was.
private final class FileChanges: @unchecked Sendable {  // Sound: belongs to the observer's queue once it has started.
  private let url: URL
  private var known: FileStatus?

  init(url: URL) {
    self.url = url
  }

  func look(at path: String) {
    known = FileStatus(path: path)
  }

  /// What has become of the file; `nil` if nothing that would be news.
  func event(after batch: PathWatch.Batch, of watch: PathWatch) -> FileEvent? {
    let old = known
    look(at: watch.path)
    return kind(after: batch, of: watch, old: old, new: known).map { FileEvent(kind: $0, url: url) }
  }

  private func kind(
    after batch: PathWatch.Batch, of watch: PathWatch, old: FileStatus?, new: FileStatus?
  ) -> FileEvent.Kind? {
    if batch.isOverflow { return .rescan }
    let kinds = batch.events.reduce(into: WatchKinds()) { $0.formUnion($1.kinds) }
    switch (old, new) {
    case (nil, nil): return nil
    case (nil, _?): return .created
    case (_?, nil): return kinds.isDisjoint(with: [.movedOut, .selfMoved]) ? .deleted : .moved
    case (let old?, let new?):
      if old.identity != new.identity { return .replaced }
      if batch.isRearmed { return .rescan }
      // A file system may give a new file the number of the one it replaces.
      if !kinds.isDisjoint(with: [.movedIn, .created]) { return .replaced }
      if kinds.contains(.written) { return .modified }
      return kinds.contains(.attributes) ? .attributes : nil
    }
  }
}
