public import FileSignals
public import Foundation
public import Signals

/// Values by name that several processes share: what `UserDefaults(suiteName:)` is for, with no value ever lost.
///
/// ```swift
/// import AppGroups
/// import Foundation
/// import Signals
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let suite = try AppGroupsSuite(name: "settings.json", container: AppGroupsContainer(directory: directory))
/// let subscription = suite.signal(forKey: "volume", as: Int.self).sink { print("volume", $0 ?? 0) }
/// // Prints "volume 0"
/// try suite.set("dark", forKey: "theme")
/// try suite.set(7, forKey: "volume")  // Prints "volume 7"
/// print(suite.keys)  // Prints "["theme", "volume"]"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **One file, plain JSON**: an object with a member for each key, which people can read and any program may write.
///   It is replaced as a whole, so nobody sees half of a change, and a process that dies at any point leaves the old
///   content.
/// - **Nothing is lost.** Each change is made while no other thread and no other process makes one, so keys that others
///   set at the same time stay. ``update(overwriting:_:)-70u51`` changes several keys at once, or one based on what it
///   is. What this program knows nothing of is kept as it is written.
/// - **Immediate.** When a change returns, the file holds it, other processes read it, and by default it is safe
///   against a power failure.
/// - **Reading never waits.** Values are in memory, decoded once. Other processes' changes arrive within a fraction of
///   a millisecond.
/// - **Every key is a signal of its own.** ``signal(forKey:as:)`` sends the changes of one key and of no other;
///   ``preference(_:default:)`` makes a typed value of it. The suite itself is a signal of all its contents.
/// - **Values** are any `Codable` types. One that is not of the type asked for is an error of its key; if the whole
///   file is damaged, the last good contents stand, as with ``AppGroupsFile``.
/// - **Threads.** Everything may be called from any thread, also from inside a subscriber.
///
/// A suite is for preferences and the like, some hundred values at most: each change writes the whole file.
public final class AppGroupsSuite: SharedValue {
  /// What the suite sends: all its values.
  public typealias Element = SuiteContents

  /// A suite does not end; what is wrong with it is told by ``status`` and ``failures``.
  public typealias Failure = Never

  /// The contents as an observable property.
  public let property: Property<SuiteContents>

  /// How the contents stand to the file.
  ///
  /// A value that is not of the type asked for is no matter of the suite's status; see ``SuiteValue/status``.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// Whether changes that others make are seen as they happen; observing it does not keep the file watched.
  public let health: Property<WatchHealth>

  let engine: SharedFileEngine<SuiteContents>
  let format: SuiteFormat

  /// What is read where the file has nothing.
  let defaults = MutableProperty<[ExactString: SuiteEntry]>([:])

  private let entryFailures = Emitter<AppGroupsFileError, Never>(replay: 16)

  /// Opens a suite of a container, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - name: The file's name, such as `settings.json`: at most 200 bytes, without a slash or a leading dot. Files,
  ///     suites and cookie jars share their names.
  ///   - container: Where the file lies.
  ///   - durability: What a change is safe against when it returns; by default also a power failure.
  ///   - maximumSize: How many bytes the file may have; by default 64 MiB. Of more, nothing is read, and a change that
  ///     takes more is not made.
  ///   - polling: Whether to look at the file from time to time where the system does not tell of changes, as on a
  ///     network file system; ``health`` says whether that is so. A look reads the content and compares it byte by
  ///     byte.
  /// - Throws: ``AppGroupsFileError`` if the name is not one for a file, if something other than a regular file is in
  ///   its place, if it cannot be made, or if it cannot be watched. Content that cannot be used does not keep the suite
  ///   from being opened: it is empty then, and ``status`` says why.
  public convenience init(
    name: String,
    container: AppGroupsContainer,
    durability: Durability = .storage,
    maximumSize: Int = 64 << 20,
    polling: WatchPolling = .automatic
  ) throws(AppGroupsFileError) {
    try self.init(
      SharedFileLocation(name: name, container: container), durability, maximumSize, polling, isCreating: true)
  }

  /// Opens any file that holds a JSON object, such as the settings of another program.
  ///
  /// Nothing is made: if there is no file, the suite is empty and ``status`` is `.missing` until somebody makes it.
  /// Changes leave a folder `.shared` beside the file, for its lock.
  ///
  /// - Parameters:
  ///   - url: The file, or a symbolic link to it; its directory must exist.
  ///   - durability: What a change is safe against when it returns; by default also a power failure.
  ///   - maximumSize: How many bytes the file may have; by default 64 MiB. Of more, nothing is read, and a change that
  ///     takes more is not made.
  ///   - polling: Whether to look at the file from time to time where the system does not tell of changes, as on a
  ///     network file system; ``health`` says whether that is so. A look reads the content and compares it byte by
  ///     byte.
  /// - Throws: ``AppGroupsFileError`` if there is no such directory, if something other than a regular file is at the
  ///   place, or if it cannot be watched.
  public convenience init(
    url: URL,
    durability: Durability = .storage,
    maximumSize: Int = 64 << 20,
    polling: WatchPolling = .automatic
  ) throws(AppGroupsFileError) {
    try self.init(SharedFileLocation(url: url), durability, maximumSize, polling, isCreating: false)
  }

  /// Opens a suite of a root whose contents may be swapped, such as that of the active environment, and makes it if
  /// there is none.
  ///
  /// When the contents are swapped, the suite goes over to the one of its name among the new contents; all values
  /// change as one. A change that is under way is finished before; one that comes meanwhile waits, and then changes the
  /// new suite.
  ///
  /// - Parameters:
  ///   - name: The file's name, such as `settings.json`: at most 200 bytes, without a slash or a leading dot. Files,
  ///     suites and cookie jars share their names.
  ///   - scope: The root; the file lies in its folder `Files`.
  ///   - onSwap: Whether to go over to the new contents, or to be closed: the last values stand then, and changes throw
  ///     ``AppGroupsFileError/closedBySwap(_:)``, which ``status`` and ``failures`` tell, too.
  ///   - durability: What a change is safe against when it returns; by default also a power failure.
  ///   - maximumSize: How many bytes the file may have; by default 64 MiB. Of more, nothing is read, and a change that
  ///     takes more is not made.
  ///   - polling: Whether to look at the file from time to time where the system does not tell of changes.
  /// - Throws: ``AppGroupsFileError`` as without a scope.
  public convenience init(
    name: String,
    scope: Scope,
    onSwap: ScopePolicy = .follows,
    durability: Durability = .storage,
    maximumSize: Int = 64 << 20,
    polling: WatchPolling = .automatic
  ) throws(AppGroupsFileError) {
    let location = try SharedFileLocation(name: name, scope: scope)
    try self.init(location, durability, maximumSize, polling, isCreating: true, scope: scope, policy: onSwap)
  }

  init(
    _ location: SharedFileLocation, _ durability: Durability, _ maximumSize: Int, _ polling: WatchPolling,
    isCreating: Bool, scope: Scope? = nil, policy: ScopePolicy = .follows, changes: (any ChangeSource)? = nil
  ) throws(AppGroupsFileError) {
    let format = SuiteFormat(url: location.url)
    self.format = format
    engine = try SharedFileEngine(
      location: location,
      initialValue: SuiteContents([:], url: location.url),
      format: format.format,
      durability: durability,
      maximumSize: maximumSize,
      polling: polling,
      isCreating: isCreating,
      scope: scope,
      policy: policy,
      willGoOver: { format.beginAnew() },
      changes: changes
    )
    property = Property(engine.value, keeping: engine)
    status = Property(engine.status, keeping: engine)
    health = engine.changes.health
  }

  /// Where the file lies.
  public var url: URL { engine.location.url }

  /// The scope in which the suite was opened, if it was.
  public var scope: Scope? { engine.location.scope }

  /// All values that are stored, at one moment.
  public var value: SuiteContents { engine.value.value }

  /// What keeps the contents from following the file, and what cannot be read as the type that somebody observes it as.
  ///
  /// Errors that a call throws are not repeated here. The last few values that could not be read are repeated for those
  /// who subscribe later.
  public var failures: some Signal<AppGroupsFileError, Never> {
    KeptSignal(upstream: engine.failures.merge(with: entryFailures), owner: self)
  }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives the current contents before this returns, then every later one.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the file watched.
  public func subscribe<Subscriber: SignalSubscriber<SuiteContents, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    property.subscribe(subscriber)
  }

  /// Tells that an entry cannot be read as what somebody observes it as; once for each entry and type.
  func report<Item>(_ error: AppGroupsFileError, of entry: SuiteEntry, as type: Item.Type) {
    if entry.claimReport(as: type) { entryFailures.send(error) }
  }
}
