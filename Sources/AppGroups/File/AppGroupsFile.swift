public import FileSignals
public import Foundation
public import Signals

/// A value in a file that several processes share: each can watch it, replace it, and change it without losing the
/// others' changes.
///
/// The file is a signal: a subscriber gets the current value at once, and then every change, whichever process makes
/// it, without polling. `write(_:)` replaces the value, the last writer wins; `update(_:)` changes it exclusively, so
/// that no change made at the same time is lost. Both have an asynchronous form, which tasks must use.
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
/// - **What is stored** is plain JSON, or another ``FileFormat``, replaced as a whole by `rename`: no reader, in
///   whatever program, sees half of it, and a writer that dies at any point leaves the old content. Any program may
///   write the file.
/// - **Reading never waits.** ``value`` is memory; it is up to date when `write(_:)` returns and when a subscriber is
///   called, and follows other processes within a fraction of a millisecond. It never goes back to an older one. Values
///   that others replace in quick succession may be skipped; the last one always arrives.
/// - **Each change is sent once.** Content equal to the last, byte by byte, is no news, whoever wrote it.
/// - **The last good value stands** if the file is removed, emptied, damaged or forbidden. After a short wait for a
///   writer who may be about to finish, ``status`` and ``failures`` tell; the next good content recovers. The file is
///   never overwritten because it could not be decoded, nor made again because it is gone, unless you write.
/// - **Threads.** Everything may be called from any thread, also from inside a subscriber. Subscribers are never called
///   concurrently, and never with a lock held: on the writing thread for this object's own writes, on a queue of the
///   file's own for those of others.
///
/// The file is watched until the last reference to this object and to its ``property``, and the last subscription, are
/// gone.
public final class AppGroupsFile<Value: Codable & Sendable>: SharedValue {
  /// The values the file sends.
  public typealias Element = Value

  /// A shared file does not end; what is wrong with it is told by ``status`` and ``failures``.
  public typealias Failure = Never

  /// The value as an observable property, which reads and sends what this object does.
  public let property: Property<Value>

  /// How ``value`` stands to the content of the file.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// Whether changes that others make are seen as they happen.
  ///
  /// It waits, for example, while the file's directory is gone, and polls on a file system that other machines write
  /// to, or if the system allows no more watches. Observing it does not keep the file watched.
  public let health: Property<WatchHealth>

  let engine: SharedFileEngine<Value>

  /// Opens a file of a container, and makes it if there is none.
  ///
  /// Content that exists always wins over the initial value; of several processes that open the file for the first
  /// time, one makes it and all agree. Content that cannot be used does not keep the file from being opened: ``value``
  /// is the initial value then, and ``status`` says why.
  ///
  /// - Parameters:
  ///   - name: The file's name, such as `settings.json`: at most 200 bytes, without a slash or a leading dot.
  ///   - initialValue: The value if there is no content yet.
  ///   - container: Where the file lies.
  ///   - format: How the value is written down.
  ///   - durability: What a written value is safe against; by default the crash of any process, but not a power
  ///     failure.
  ///   - maximumSize: How many bytes the file may have; by default 64 MiB. Of more, nothing is read, and a value that
  ///     takes more is not written.
  ///   - polling: Whether to look at the file from time to time where the system does not tell of changes, as on a
  ///     network file system; ``health`` says whether that is so. A look reads the content and compares it byte by
  ///     byte.
  /// - Throws: ``AppGroupsFileError`` if the name is not one for a file, if something other than a regular file is in
  ///   its place, if it cannot be made, or if it cannot be watched.
  public convenience init(
    name: String,
    initialValue: Value,
    container: AppGroupsContainer,
    format: FileFormat<Value> = .json,
    durability: Durability = .process,
    maximumSize: Int = 64 << 20,
    polling: WatchPolling = .automatic
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: SharedFileLocation(name: name, container: container),
      initialValue: initialValue,
      format: format,
      durability: durability,
      maximumSize: maximumSize,
      polling: polling,
      isCreating: true
    )
    self.init(engine)
  }

  /// Opens any file, such as one that belongs to the user or to another program.
  ///
  /// Nothing is made, in particular no file: if there is none, ``value`` is the initial value and ``status`` is
  /// `.missing` until somebody makes it. Only a write of this object's own leaves a folder `.shared` beside the file, for
  /// its lock.
  ///
  /// - Parameters:
  ///   - url: The file, or a symbolic link to it; its directory must exist.
  ///   - initialValue: The value until there is content that can be used.
  ///   - format: How the value is written down.
  ///   - durability: What a written value is safe against; by default the crash of any process, but not a power
  ///     failure.
  ///   - maximumSize: How many bytes the file may have; by default 64 MiB. Of more, nothing is read, and a value that
  ///     takes more is not written.
  ///   - polling: Whether to look at the file from time to time where the system does not tell of changes, as on a
  ///     network file system; ``health`` says whether that is so. A look reads the content and compares it byte by
  ///     byte.
  /// - Throws: ``AppGroupsFileError`` if there is no such directory, if something other than a regular file is at the
  ///   place, or if it cannot be watched.
  public convenience init(
    url: URL,
    initialValue: Value,
    format: FileFormat<Value> = .json,
    durability: Durability = .process,
    maximumSize: Int = 64 << 20,
    polling: WatchPolling = .automatic
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: SharedFileLocation(url: url),
      initialValue: initialValue,
      format: format,
      durability: durability,
      maximumSize: maximumSize,
      polling: polling,
      isCreating: false
    )
    self.init(engine)
  }

  /// Opens a file of a root whose contents may be swapped, such as that of the active environment, and makes it if
  /// there is none.
  ///
  /// When the contents are swapped, the file goes over to the one of its name among the new contents, and sends its
  /// value if that is another; where there is none, one is made with the initial value. A write that is under way is
  /// finished before; one that comes meanwhile waits, and then changes the new file. Neither ``value`` nor an update
  /// begins with what other contents held: if the new file cannot be used, it is the initial value, and ``status`` says
  /// why.
  ///
  /// - Parameters:
  ///   - name: The file's name, such as `settings.json`: at most 200 bytes, without a slash or a leading dot.
  ///   - initialValue: The value if there is no content yet.
  ///   - scope: The root; the file lies in its folder `Files`.
  ///   - onSwap: Whether to go over to the new contents, or to be closed: the last value stands then, and all else
  ///     throws ``AppGroupsFileError/closedBySwap(_:)``, which ``status`` and ``failures`` tell, too.
  ///   - format: How the value is written down.
  ///   - durability: What a written value is safe against; by default the crash of any process, but not a power
  ///     failure.
  ///   - maximumSize: How many bytes the file may have; by default 64 MiB. Of more, nothing is read, and a value that
  ///     takes more is not written.
  ///   - polling: Whether to look at the file from time to time where the system does not tell of changes.
  /// - Throws: ``AppGroupsFileError`` as without a scope.
  public convenience init(
    name: String,
    initialValue: Value,
    scope: Scope,
    onSwap: ScopePolicy = .follows,
    format: FileFormat<Value> = .json,
    durability: Durability = .process,
    maximumSize: Int = 64 << 20,
    polling: WatchPolling = .automatic
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: SharedFileLocation(name: name, scope: scope),
      initialValue: initialValue,
      format: format,
      durability: durability,
      maximumSize: maximumSize,
      polling: polling,
      isCreating: true,
      scope: scope,
      policy: onSwap
    )
    self.init(engine)
  }

  /// Follows a file in a scope that other programs make; while there is none, the value is the initial one.
  package convenience init(
    observing name: String, initialValue: Value, scope: Scope, format: FileFormat<Value>, polling: WatchPolling
  ) throws(AppGroupsFileError) {
    let engine = try SharedFileEngine(
      location: SharedFileLocation(name: name, scope: scope), initialValue: initialValue, format: format,
      durability: .process, maximumSize: 64 << 20, polling: polling, isCreating: false, scope: scope)
    self.init(engine)
  }

  init(_ engine: SharedFileEngine<Value>) {
    self.engine = engine
    property = Property(engine.value, keeping: engine)
    status = Property(engine.status, keeping: engine)
    health = engine.changes.health
  }

  /// Where the file lies.
  public var url: URL { engine.location.url }

  /// The scope in which the file was opened, if it was.
  public var scope: Scope? { engine.location.scope }

  /// The last known good value.
  ///
  /// Reading it takes a few nanoseconds and waits for no file and no process. To change it, write or update.
  @inlinable
  public var value: Value { property.plainValue }

  /// What keeps the value from following the content of the file, each time it does.
  ///
  /// Errors that a call throws are not repeated here. What no event tells the end of, such as a want of descriptors, is
  /// told once and looked into again, after a second at first and then at most every thirty.
  public var failures: some Signal<AppGroupsFileError, Never> {
    KeptSignal(upstream: engine.failures, owner: engine)
  }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives the current value before this returns, then every later one.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the file watched.
  public func subscribe<Subscriber: SignalSubscriber<Value, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    property.subscribe(subscriber)
  }

  /// Reads the file at this moment.
  ///
  /// ``value`` is what one usually wants; this serves those who must know what is on disk. It takes no lock.
  ///
  /// - Returns: The value that the file holds, which ``value`` may not have caught up with.
  /// - Throws: ``AppGroupsFileError`` if there is no content that can be used.
  public func read() throws(AppGroupsFileError) -> Value {
    try engine.read()
  }
}
