public import FileSignals
public import Foundation
public import Signals

/// Named values that several processes share, as in `UserDefaults(suiteName:)`, but without lost changes.
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
/// print(suite.value.keys)  // Prints "["theme", "volume"]"
/// subscription.cancel()
/// try suite.synchronize()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Plain JSON.** The file is an object with a member for each key, which people can read and any program may write.
///   It is replaced as a whole, so no reader sees a part of a change, and a process that dies at any point leaves the
///   old content. Changes in quick succession are appended to a journal beside the file, which contains them about a
///   third of a second after the last one; `synchronize()` does that at once.
/// - **No lost changes.** Changes of all threads and processes are serialized, so keys that others set at the same time
///   stay. ``update(overwriting:_:)-70u51`` changes several keys at once, or one based on its old value. Values of
///   unknown keys are kept as they are.
/// - **Durability.** When a change returns, it is on disk, other processes read it, and by default it survives a power
///   failure.
/// - **Reading never waits.** Values are in memory, and are decoded once. Changes of other processes arrive within a
///   fraction of a millisecond.
/// - **Signals.** ``signal(forKey:as:)`` sends the changes of one key. ``preference(_:default:)`` returns a typed value
///   for it. The suite itself is a signal of all its contents.
/// - **Types.** Values are of any `Codable` type. A value of another type is an error of its key. If the whole file is
///   damaged, the last good contents stay, as in ``AppGroupsFile``.
/// - **Threads.** All methods may be called from any thread, and from inside a subscriber.
///
/// A change takes about the same time among ten values as among a million, in this process and in observers.
public final class AppGroupsSuite: BlockingSharedValue {
  /// The contents as an observable property.
  public let property: Property<SuiteContents>

  /// The relation of ``value`` to the file: current, missing, or stale for a reason.
  ///
  /// A value of an unexpected type does not affect the status of the suite; see ``SuiteValue/status``.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// The state of the observation of the file.
  ///
  /// A subscription to it does not keep the file observed.
  public let health: Property<WatchHealth>

  let engine: SharedFileEngine<SuiteContents>
  let format: SuiteFormat

  /// The registered defaults.
  let defaults = MutableProperty<[ExactString: SuiteEntry]>([:])

  private let entryFailures: FailureRelay<AppGroupsFileError>

  /// Opens a suite of a container, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - name: The name of the file, such as `settings.json`: at most 200 bytes, without a slash or a leading dot.
  ///     Files, suites and cookie jars of a container need different names.
  ///   - container: The container; the file is in its folder `Files`.
  ///   - seal: The keys and the cipher, if the suite is encrypted: its file and its journal.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError`` if the name is invalid, if the file is not a regular file, or if it cannot be
  ///   created or observed. Unusable content is not an error here: the suite is empty, and ``status`` has the reason.
  public convenience init(
    name: String,
    container: AppGroupsContainer,
    seal: FileSeal? = nil,
    options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    try self.init(FileLocation(name: name, container: container), options, seal: seal, isCreating: true)
  }

  /// Opens any file that contains a JSON object, such as the settings of another program.
  ///
  /// Nothing is created: if there is no file, the suite is empty, and ``status`` is `.missing` until a process creates
  /// it. Changes leave a folder `.shared` beside the file, for its lock.
  ///
  /// - Parameters:
  ///   - url: The file, or a symbolic link to it; its directory must exist.
  ///   - seal: The keys and the cipher, if the suite is encrypted.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError`` if the directory is missing, if the file is not a regular file, or if it cannot
  ///   be observed.
  public convenience init(
    url: URL,
    seal: FileSeal? = nil,
    options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    try self.init(FileLocation(anywhere: url), options, seal: seal, isCreating: false)
  }

  /// Opens a suite in a root whose contents may be switched, such as the root of environments, and creates it if it is
  /// missing.
  ///
  /// When the contents are switched, the suite follows: it has the values of the file with its name in the new
  /// contents, in one change. The switch waits for a change in progress. A change that begins during the switch waits,
  /// and then changes the new file.
  ///
  /// - Parameters:
  ///   - name: The name of the file, such as `settings.json`: at most 200 bytes, without a slash or a leading dot.
  ///     Files, suites and cookie jars of a container need different names.
  ///   - scope: The root; the file is in its folder `Files`.
  ///   - onSwitch: The policy for a switch. By default the suite follows. A suite that is closed keeps its last values,
  ///     and changes throw ``AppGroupsFileError/closedBySwitch(_:)``, which ``status`` and ``failures`` report, too.
  ///   - seal: The keys and the cipher, if the suite is encrypted. They are the same in all contents.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError`` as without a scope.
  public convenience init(
    name: String,
    scope: Scope,
    onSwitch: ScopePolicy = .follows,
    seal: FileSeal? = nil,
    options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    let location = try FileLocation(name: name, scope: scope)
    try self.init(location, options, seal: seal, isCreating: true, scope: scope, policy: onSwitch)
  }

  init(
    _ location: FileLocation, _ options: SharedFileOptions, seal: FileSeal? = nil, isCreating: Bool,
    scope: Scope? = nil, policy: ScopePolicy = .follows, changes: (any ChangeSource)? = nil
  ) throws(AppGroupsFileError) {
    let format = SuiteFormat(url: location.url, seal: seal)
    self.format = format
    engine = try SharedFileEngine(
      location: location,
      initialValue: SuiteContents(url: location.url, isSealed: seal != nil),
      format: format.format,
      options: options,
      usualDurability: .storage,
      isCreating: isCreating,
      owner: "AppGroupsSuite",
      scope: scope,
      policy: policy,
      willSwitch: { format.beginAnew() },
      journaling: format.journaling,
      changes: changes
    )
    entryFailures = FailureRelay(of: "AppGroupsSuite", location.pathText, replay: 16)
    engine.announceUnusableContent()
    property = Property(engine.value, keeping: engine)
    status = Property(engine.status, keeping: engine)
    health = engine.changes.health
  }

  /// The location of the file.
  public var url: URL { engine.location.url }

  /// The scope in which the suite was opened; `nil` if it was opened without one.
  package var scope: Scope? { engine.scope }

  /// A snapshot of all stored values.
  public var value: SuiteContents { engine.value.value }

  /// The process that made ``value``, with time and cause; `nil` if it is unknown.
  ///
  /// It is unknown if a program without this package made the version, if the file was copied from elsewhere, or if
  /// later versions have replaced it meanwhile. Asking reads the record beside the lock of the file, with a few system
  /// calls, and takes no lock.
  public var provenance: Provenance? { engine.provenance() }

  /// The errors that keep ``value`` from following the file, damage of its journal, changes that another program has
  /// undone, and the errors of values that have an unexpected type.
  ///
  /// Errors that a call throws are not sent here. A later subscriber receives the last few errors of values.
  public var failures: some Signal<AppGroupsFileError, Never> {
    KeptSignal(upstream: engine.failures.merge(with: entryFailures), owner: self)
  }

  /// Reports that an entry cannot be read as a type, once for each entry and type.
  func report<Item>(_ error: AppGroupsFileError, of entry: SuiteEntry, as type: Item.Type) {
    if entry.claimReport(as: type) { entryFailures.send(error) }
  }
}
