public import FileSignals
public import Foundation
public import Signals

/// A value in a file that several processes share, and that each of them can observe, replace and update.
///
/// The file is a signal. A subscriber receives the current value at once, and then every change by any process, without
/// polling. `write(_:)` replaces the value, and the last writer wins. `update(_:)` changes it exclusively, so that no
/// concurrent change is lost. Tasks must use the asynchronous forms of both.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let visits = try AppGroupsFile(name: "visits.json", initialValue: 0, container: container)
/// let subscription = visits.sink { print("visits", $0) }  // Prints "visits 0"
/// try visits.write(41)  // Prints "visits 41"
/// try visits.update { $0 += 1 }  // Prints "visits 42"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Content.** The file contains plain JSON, or another ``FileFormat``, and any program may write it. It is replaced
///   as a whole by `rename`: no reader in any program sees a part of a change, and a writer that dies at any point
///   leaves the old content.
/// - **Reading never waits.** ``value`` is in memory. It is current when `write(_:)` returns and when a subscriber is
///   called, and it follows other processes within a fraction of a millisecond. It never returns to an older value.
/// - **Skipped values.** If other processes replace the value in quick succession, some of their values may be skipped.
///   The last one always arrives.
/// - **No duplicates.** Each change is sent once. Content with the same bytes as the last content is not sent,
///   whichever process wrote it.
/// - **Bad content.** If the file is removed, emptied, damaged or unreadable, the last good value stays. A writer may
///   be about to finish, so ``status`` and ``failures`` report the error after a short wait. The next good content
///   clears the error.
/// - **Repair.** The object never replaces bad content or recreates a missing file on its own. Only your writes and
///   updates do.
/// - **Threads.** All methods may be called from any thread, and from inside a subscriber. Subscribers are never called
///   concurrently, and never with a lock held. They are called on the writing thread for writes by this object, and on
///   the file's own queue for all other changes.
///
/// To pass on one part of the value, with the right to change it, use a lens: `settings.lens(\.volume)`.
///
/// The file is observed until this object, its ``property`` and all subscriptions have been released.
public final class AppGroupsFile<Value: Codable & Sendable>: BlockingSharedValue {
  /// The value as an observable property.
  public let property: Property<Value>

  /// The relation of ``value`` to the content of the file.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// The state of the observation of the file.
  ///
  /// The observer waits while the directory of the file is missing. It polls on a file system that other machines write
  /// to, or if the system allows no more watches. A subscription to this property does not keep the file observed.
  public let health: Property<WatchHealth>

  let engine: SharedFileEngine<Value>

  /// Opens a file of a container, and creates it if it is missing.
  ///
  /// Existing content always takes precedence over the initial value. If several processes open the file for the first
  /// time, one of them creates it, and all have the same value. Unusable content is not an error here: ``value`` is the
  /// initial value, and ``status`` has the reason.
  ///
  /// - Parameters:
  ///   - name: The name of the file, such as `settings.json`: at most 200 bytes, without a slash or a leading dot.
  ///     Files, suites and cookie jars of a container need different names.
  ///   - initialValue: The value if there is no content yet.
  ///   - container: The container; the file is in its folder `Files`.
  ///   - format: The encoding of the value.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError`` if the name is invalid, if the file is not a regular file, or if it cannot be
  ///   created or observed.
  public convenience init(
    name: String,
    initialValue: Value,
    container: AppGroupsContainer,
    format: FileFormat<Value> = .json,
    options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: FileLocation(name: name, container: container),
      initialValue: initialValue,
      format: format,
      options: options,
      isCreating: true
    )
    self.init(engine)
  }

  /// Opens any file, such as one that belongs to the user or to another program.
  ///
  /// By default, nothing is created: if there is no file, ``value`` is the initial value, and ``status`` is `.missing`
  /// until a process creates it. A write by this object leaves a folder `.shared` beside the file, for its lock.
  ///
  /// - Parameters:
  ///   - url: The file, or a symbolic link to it; its directory must exist.
  ///   - initialValue: The value until there is usable content.
  ///   - isCreating: A Boolean value that determines whether to create a missing file, with the initial value.
  ///   - format: The encoding of the value.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError`` if the directory is missing, if the file is not a regular file, or if it cannot
  ///   be created or observed.
  public convenience init(
    url: URL,
    initialValue: Value,
    isCreating: Bool = false,
    format: FileFormat<Value> = .json,
    options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: FileLocation(anywhere: url),
      initialValue: initialValue,
      format: format,
      options: options,
      isCreating: isCreating
    )
    self.init(engine)
  }

  /// Opens a file in a root whose contents may be switched, such as the root of environments, and creates it if it is
  /// missing.
  ///
  /// When the contents are switched, the object follows: it has the value of the file with its name in the new contents,
  /// and sends it if it is different. If there is no such file, it is created with the initial value. The switch waits
  /// for a write in progress. A write that begins during the switch waits, and then changes the new file.
  ///
  /// No value crosses a switch. If the new file is unusable, ``value`` is the initial value, ``status`` has the reason,
  /// and an update begins with the initial value, too.
  ///
  /// - Parameters:
  ///   - name: The name of the file, such as `settings.json`: at most 200 bytes, without a slash or a leading dot.
  ///     Files, suites and cookie jars of a container need different names.
  ///   - initialValue: The value if there is no content yet.
  ///   - scope: The root; the file is in its folder `Files`.
  ///   - onSwitch: The policy for a switch. By default the file follows. A file that is closed keeps its last value, and
  ///     all other operations throw ``AppGroupsFileError/closedBySwitch(_:)``, which ``status`` and ``failures`` report,
  ///     too.
  ///   - format: The encoding of the value.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError`` as without a scope.
  public convenience init(
    name: String,
    initialValue: Value,
    scope: Scope,
    onSwitch: ScopePolicy = .follows,
    format: FileFormat<Value> = .json,
    options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: FileLocation(name: name, scope: scope),
      initialValue: initialValue,
      format: format,
      options: options,
      isCreating: true,
      scope: scope,
      policy: onSwitch
    )
    self.init(engine)
  }

  /// The place of a file that a part of this package follows without creating it, because other programs do.
  package enum Place {
    case anywhere(URL)
    case scope(Scope, name: String)
  }

  /// Opens a file in the name of another object; until the file is created, the value is the initial one.
  ///
  /// - Parameters:
  ///   - place: The place of the file.
  ///   - initialValue: The value until there is usable content.
  ///   - format: The encoding of the value.
  ///   - polling: The polling of the file where the system does not report changes.
  ///   - owner: The type of the object in whose name failures are reported.
  ///   - isOptional: A Boolean value that indicates whether a missing file is to be expected.
  ///   - announces: A Boolean value that indicates whether to report content that is unusable now. Otherwise the owner
  ///     throws or reports the error.
  /// - Throws: ``AppGroupsFileError`` as the initializers for apps do.
  package convenience init(
    observing place: Place, initialValue: Value, format: FileFormat<Value>, polling: WatchPolling, owner: String,
    isOptional: Bool, announces: Bool
  ) throws(AppGroupsFileError) {
    let (location, scope): (FileLocation, Scope?) =
      switch place {
      case .anywhere(let url): (try FileLocation(anywhere: url), nil)
      case .scope(let scope, let name): (try FileLocation(name: name, scope: scope), scope)
      }
    let engine = try SharedFileEngine(
      location: location, initialValue: initialValue, format: format, options: .init(polling: polling),
      isCreating: false, owner: owner, toleratesAbsence: isOptional, scope: scope)
    self.init(engine, announces: announces)
  }

  init(_ engine: SharedFileEngine<Value>, announces: Bool = true) {
    self.engine = engine
    if announces { engine.announceUnusableContent() }
    property = Property(engine.value, keeping: engine)
    status = Property(engine.status, keeping: engine)
    health = engine.changes.health
  }

  /// The location of the file.
  public var url: URL { engine.location.url }

  /// The scope in which the file was opened; `nil` if it was opened without one.
  package var scope: Scope? { engine.scope }

  /// The last known good value.
  ///
  /// A read takes a few nanoseconds, and waits for no file and no process. To change the value, call a method that
  /// writes or updates it.
  @inlinable
  public var value: Value { property.plainValue }

  /// The process that made ``value``, with time and cause; `nil` if it is unknown.
  ///
  /// It is unknown if a program without this package made the version, if the file was copied from elsewhere, or if
  /// later versions have replaced it meanwhile. Asking reads the record beside the lock of the file, with a few system
  /// calls, and takes no lock.
  public var provenance: Provenance? { engine.provenance() }

  /// The errors that keep ``value`` from following the content of the file.
  ///
  /// Errors that a call throws are not sent here. If nothing observes this signal, nor the failures of the container or
  /// of the scope, an error is written to standard error; see `FailureReport`.
  ///
  /// Some errors end without an event, such as a lack of file descriptors. Such an error is sent once, and the file is
  /// read again with increasing pauses of 1 to 30 seconds.
  public var failures: some Signal<AppGroupsFileError, Never> {
    KeptSignal(upstream: engine.failures, owner: engine)
  }

  /// Reads the file.
  ///
  /// Usually ``value`` is enough; this method is for code that must know the content on disk. It does not wait for
  /// writers. In a scope, it waits until a switch of environments is complete, or undone if its process was killed.
  ///
  /// - Returns: The value in the file, which may be newer than ``value``.
  /// - Throws: ``AppGroupsFileError`` if the file has no usable content.
  public func read() throws(AppGroupsFileError) -> Value {
    try engine.read()
  }
}
