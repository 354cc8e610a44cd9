public import AppGroups
public import FileSignals
public import Foundation
public import Signals

/// Several complete environments inside one app or service, switched in milliseconds regardless of their size.
///
/// An ``Environment`` is everything the app stores below one root directory, with the settings and cookies that belong
/// to it: an account, a tenant, the data of a test run. One environment is active, and its files are in the root.
/// The files of the others are put away in a hidden directory. Activating another environment moves the files.
///
/// ```swift
/// import Containers
/// import Foundation
///
/// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let app = try AppContainer(home: home)
/// let subscription = app.active.sink { print($0.name) }  // Prints "Default"
/// try Data("draft".utf8).write(to: home.appending(path: "note.txt"))
///
/// let work = try app.create(name: "Work")
/// try app.activate(work)  // Prints "Work"
/// print(FileManager.default.fileExists(atPath: home.appending(path: "note.txt").path))  // Prints "false"
///
/// try app.activate(id: AppContainer.Environment.defaultID)  // Prints "Default"
/// print(FileManager.default.fileExists(atPath: home.appending(path: "note.txt").path))  // Prints "true"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: home)
/// ```
///
/// - **Existing files become the default environment,** in place: nothing moves when environments are first used.
/// - **A switch is a handful of renames,** one for each entry at the top of the root. It never touches the files
///   below, so its time does not depend on their number. Links are moved as links, and nothing outside the root is
///   read or moved.
/// - **All or nothing.** A journal lists all moves before the first one. If the process or the machine stops at any
///   point, the next process that opens the root finds the old environment or the new one, complete. Nothing is ever
///   overwritten.
/// - **Live values follow.** An ``/AppGroups/AppGroupsFile`` or suite that is opened in the ``scope`` of the root shows
///   the new environment's value when ``activate(_:)-104jo`` returns, and sends it. You can also have it closed
///   instead. Without the scope, opening a file, suite, log or database in the root throws an error. Open the container
///   first: a value that was opened before the root had environments is not refused, and does not follow.
/// - **A switch is one change.** No subscriber in any process sees the values of two environments, or a value of one
///   environment while ``active`` is another.
/// - **Several processes, and several objects** of one process, may use one root. They take turns, and all of them
///   follow each change. A call waits while another process switches.
/// - **Lifetime.** Keep the object for as long as the app runs. Flush hooks, switched defaults, switched
///   cookies and ``requiresUniqueNames`` end with the last object, scope or property of its root.
/// - **Errors** are ``AppContainerError``. A call that throws has changed nothing, unless its page says otherwise.
/// - **Threads.** Everything may be called from any thread. Calls that change environments wait for other threads and
///   processes that do. `activate` has asynchronous forms for tasks.
/// - **Nesting.** Some code cannot change environments, and gets ``AppContainerError/nested(operation:)``: a delegate's
///   `willChange`, a flush hook, a subscriber of ``active`` or of a live value that a switch changes, and the closure
///   of an update or a transaction in the ``scope``. A delegate's `didChange` can, because the switch is over.
public final class AppContainer: Sendable {
  let engine: ContainerEngine

  /// All environments, in the order in which they were created.
  public let environments: Property<[Environment]>

  /// The active environment, whose files are in the root.
  ///
  /// It changes after each switch, when all live values have followed, and when the name or description of the active
  /// environment changes.
  public let active: Property<Environment>

  /// The state of the observation of changes by other processes.
  public let health: Property<WatchHealth>

  /// Opens the environments of a directory.
  ///
  /// - Parameters:
  ///   - home: The root, which is created if it is missing. Existing files belong to the default environment.
  ///   - defaultName: The name that the default environment gets when the root is opened for the first time. Later,
  ///     ``update(_:name:description:)`` renames it.
  /// - Throws: ``AppContainerError`` if the directory cannot hold environments, or if the record of the active one is
  ///   unreadable.
  public convenience init(home: URL, defaultName: String = "Default") throws(AppContainerError) {
    try self.init(home: home, defaultName: defaultName) { _ in }
  }

  /// Opens the environments of a group's directory, which several apps share.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - defaultName: The name that the default environment gets when the root is opened for the first time, by any of
  ///     the apps. Later, ``update(_:name:description:)`` renames it.
  /// - Throws: ``AppContainerError`` if the directory cannot hold environments, or if the record of the active one is
  ///   unreadable.
  public convenience init(
    group: AppGroupsContainer, defaultName: String = "Default"
  ) throws(AppContainerError) {
    try self.init(.group(group.containerURL), defaultName: defaultName, settings: [])
  }

  /// Opens the environments of the directory of an app group, which several apps share.
  ///
  /// - Parameters:
  ///   - groupIdentifier: The group, such as `group.com.example.app`.
  ///   - defaultName: The name that the default environment gets when the root is opened for the first time, by any of
  ///     the apps. Later, ``update(_:name:description:)`` renames it.
  /// - Throws: ``AppContainerError`` if there is no such group, or as ``init(group:defaultName:)``.
  public convenience init(groupIdentifier: String, defaultName: String = "Default") throws(AppContainerError) {
    let place = URL(filePath: groupIdentifier, directoryHint: .isDirectory)
    let group = try Self.group(at: place) { () throws(AppGroupsError) in try AppGroupsContainer(groupIdentifier) }
    try self.init(group: group, defaultName: defaultName)
  }

  /// Opens the environments of a directory, and switches settings with them.
  ///
  /// - Parameters:
  ///   - home: The root.
  ///   - defaultName: The name of the default environment when the root is opened for the first time.
  ///   - settings: The settings that are switched with the files.
  ///   - onStep: Called at each step of a change by this process, and when it undoes the change of another one.
  /// - Throws: ``AppContainerError`` if the directory cannot hold environments, or if the record of the active one is
  ///   unreadable.
  package convenience init(
    home: URL, defaultName: String = "Default", settings: [any EnvironmentSettings] = [],
    onStep: @escaping @Sendable (SwitchStep) -> Void
  ) throws(AppContainerError) {
    try self.init(
      ContainerLayout(root: Self.resolved(home)), defaultName: defaultName, settings: settings, onStep: onStep)
  }

  /// Opens the environments of a directory with the layout of an app's sandbox on Apple's systems.
  ///
  /// - Parameters:
  ///   - sandbox: The root.
  ///   - onStep: Called at each step of a change by this process, and when it undoes the change of another one.
  /// - Throws: ``AppContainerError`` if the directory cannot hold environments, or if the record of the active one is
  ///   unreadable.
  package convenience init(
    sandbox: URL, onStep: @escaping @Sendable (SwitchStep) -> Void = { _ in }
  ) throws(AppContainerError) {
    try self.init(.sandbox(Self.resolved(sandbox)), settings: [], onStep: onStep)
  }

  init(
    _ layout: ContainerLayout, defaultName: String = "Default", settings: [any EnvironmentSettings],
    onStep: @escaping @Sendable (SwitchStep) -> Void = { _ in }
  ) throws(AppContainerError) {
    engine = try ContainerEngine.shared(
      for: layout, defaultName: defaultName, settings: settings, onStep: onStep)
    environments = Property(engine.environments, keeping: engine)
    active = Property(engine.active, keeping: engine)
    health = engine.health
  }

  /// The scope in which to open live values.
  ///
  /// They follow switches even after this object is released.
  public var scope: Scope { engine.sharedScope }

  /// The directory with the files of the active environment, with symbolic links resolved.
  public var home: URL { engine.layout.root }

  /// The process of the last switch or change of the list of environments, with time and cause; `nil` if it is unknown.
  ///
  /// Asking reads the list and the record beside its lock, and takes no lock.
  public var provenance: Provenance? { engine.store.provenance() }

  /// The events of each switch: before and after a switch by this process, and after a switch by another one.
  public var events: some Signal<Event, Never> { KeptSignal(upstream: engine.events, owner: engine) }

  /// The failures of everything in the container: environments, files, suites, logs, databases, sessions and flags.
  ///
  /// Each report says what it concerns. A subscriber first receives the last few. Errors that a call throws are not sent
  /// here. See `FailureReport`.
  ///
  /// The container itself reports an ``AppContainerError`` if it cannot follow a switch by another process, for example
  /// because of a record of a newer version, or cannot read the record of an environment. Until the problem is solved,
  /// ``active`` and the live values keep their values, and writes of live values wait or throw. Each error is sent once.
  public var failures: some Signal<FailureReport, Never> {
    KeptSignal(upstream: FailureReport.inside([engine.layout.root]), owner: engine)
  }

  /// Calls a closure at each step of a change by this process.
  package func onStep(_ hook: @escaping @Sendable (SwitchStep) -> Void) { engine.onStep(hook) }

  /// Switches settings with the files, from now on.
  package func add(_ settings: any EnvironmentSettings) { engine.participants.add(settings) }
}

extension AppContainer {
  /// Returns the environment with a name.
  ///
  /// If several environments have the name, the oldest is returned. An environment whose record cannot be read has no
  /// name, so it is not found; see ``Environment/problem``.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let staging = try app.create(name: "Staging")
  /// print(try app.environment(named: "Staging") == staging)  // Prints "true"
  /// do {
  ///   try app.activate(app.environment(named: "Stagin"))
  /// } catch AppContainerError.nameNotFound(_, let known) {
  ///   print(known)  // Prints "["Default", "Staging"]"
  /// }
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// - Parameter name: The name. Names that Unicode considers equivalent are equal.
  /// - Returns: The environment, which is not activated.
  /// - Throws: ``AppContainerError/nameNotFound(_:known:)`` if no environment has the name, or another
  ///   ``AppContainerError``. Nothing is created.
  public func environment(named name: String) throws(AppContainerError) -> Environment {
    try engine.exclusively("environment(named:)") { try $0.environment(named: name) }
  }

  /// Creates an environment without activating it, unless one with the name exists.
  ///
  /// Processes that call this at the same time get the same environment, and only one of them creates it. So an app can
  /// call it at each launch for the environments that it always has. For a name that a user types, use
  /// ``environment(named:)`` or ``create(name:description:)`` instead: with this method, a typing error would create
  /// another environment.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home, defaultName: "Production")
  /// let staging = try app.createIfMissing(name: "Staging")
  /// print(try app.createIfMissing(name: "Staging") == staging)  // Prints "true"
  /// print(app.environments.value.map(\.name))  // Prints "["Production", "Staging"]"
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name. Names that Unicode considers equivalent are equal.
  ///   - description: The purpose of a new environment. An existing environment keeps its own.
  /// - Returns: The new environment, or the oldest one with the name.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  @discardableResult
  public func createIfMissing(name: String, description: String? = nil) throws(AppContainerError) -> Environment {
    try engine.exclusively("createIfMissing") { try $0.createIfMissing(name: name, description: description) }
  }

  /// A Boolean value that indicates whether environments must have different names; `false` by default.
  ///
  /// While it is `true`, an environment cannot be created, cloned, imported or renamed with a name that another one has:
  /// that throws ``AppContainerError/nameTaken(_:by:)``. Environments that share a name already keep it.
  ///
  /// It applies to all objects of this root in the process and is not stored. Set it when the app starts, in each process
  /// that creates or renames environments.
  public var requiresUniqueNames: Bool {
    get { engine.requiresUniqueNames }
    set { engine.requiresUniqueNames = newValue }
  }
}
