public import AppGroups
import Dispatch
public import Foundation
public import Signals
public import Stores

/// Who the user is, what is theirs, and whether their session is still valid: one truth, on disk and in memory.
///
/// ```swift
/// import Contexts
/// import Foundation
///
/// struct Account: SessionUser {
///   let id: String
///   var name: String
/// }
///
/// final class Server: AuthControllerDelegate {
///   func authenticate() async throws -> Account { Account(id: "ada", name: "Ada") }
///   func refreshAuthentication(with user: Account) async throws -> Account { user }
///   func deauthenticate(_ user: Account) async throws {}
/// }
///
/// let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let server = Server()
/// let context = try StandardAppContext<Account>(root: root)
/// let subscription = context.authState.sink { print($0) }  // Prints "restoring"
/// try await context.setup(authDelegate: server)  // Prints "unauthenticated"
/// try await context.triggerLogin()  // Prints "authenticated"
/// print(context.current.value.id)  // Prints "ada"
/// try await context.logout()  // Prints "unauthenticated"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: root)
/// ```
///
/// - **Nothing is shown before it is archived.** What ``authState`` and ``current`` tell survives a crash, and a start
///   finds it again: a restored user is ``AuthState/presession`` until the delegate says that the session is to be
///   trusted, or has renewed it.
/// - **An answer counts for the session that it was asked for.** One that comes after a logout, or another login, in
///   this or another process, changes nothing.
/// - **One renewal at a time**, of all processes that have the same root. Whoever asks meanwhile gets its answer; the
///   next process finds the new session in the archive, and does not ask again. No process waits longer for another
///   than ``SessionPolicy/lockTimeout``.
/// - **A failure passes, a rejection ends.** If a renewal fails, the user stays and it is tried again, less and less
///   often. If the server throws ``AuthRejection``, the user is logged out.
/// - **Logging out always works**, whether the server can be told or not.
/// - **Threads.** Everything may be called from any thread. Subscribers are called on a queue of the context's own, one
///   change after the other; they must not wait there for what they ask of it.
///
/// - **Lifetime.** The properties and queries of a context keep its session up to date, also if the context itself has
///   been released. Those of an ``AppContext`` do not.
///
/// Have one for each root in a process, for as long as the process lives.
public final class StandardAppContext<User: SessionUser>: Sendable {
  /// The identity of the context without a user.
  public static var standardID: String { "__standard__" }

  /// The directory that holds everything; in a scope, all of the active environment.
  public let root: URL

  /// Knows the delegate that speaks with the server.
  public let authController: AuthController<User>

  // MARK: What there is

  /// The current context: the user's, or ``standard``.
  ///
  /// Until ``setup(authDelegate:migrate:)`` has returned it is ``standard``, also if a user is archived.
  public let current: Property<AppContext<User>>

  /// How far the current user is known; it follows every switch.
  public let authState: Property<AuthState>

  /// What is being done about the session.
  public let activity: Property<AuthActivity>

  /// What went wrong last; `nil` again when the next thing of its kind goes right.
  public let lastError: Property<ContextError?>

  /// The current user; it follows every switch.
  public let user: Property<User?>

  /// All of these, as they belong together.
  public let status: Property<SessionStatus<User>>

  /// Who is or has been logged in, in the order in which they first were; empty until
  /// ``setup(authDelegate:migrate:)`` has returned.
  public let historyUsers: Property<[ArchivedUser<User>]>

  let engine: SessionEngine<User>
  let board: SessionBoard<User>
  let layout: StoreLayout

  /// Opens a root; nothing is read before ``setup(authDelegate:migrate:)``.
  ///
  /// - Parameters:
  ///   - root: The directory that holds everything, made if need be; processes of the same user may share it. Choose one
  ///     that holds nothing else: a file `Files/revision.json` of yours would be overwritten.
  ///   - configuration: Where sessions are archived, and when they are renewed.
  ///   - storeVersions: What the databases of each user contain.
  ///   - time: The time by which sessions expire.
  /// - Throws: ``ContextError/archive(path:operation:reason:)`` if the directory cannot be used,
  ///   ``ContextError/switchedDirectory(path:root:)`` if its contents are switched between environments, or
  ///   ``ContextError/invalidPolicy(reason:)``.
  public convenience init(
    root: URL,
    configuration: ContextConfiguration = ContextConfiguration(),
    storeVersions: StoreVersions = StoreVersions(),
    time: SessionTime = .system
  ) throws(ContextError) {
    try self.init(SessionPlace(root: root, configuration), configuration, storeVersions, time)
  }

  /// Opens the sessions of a root whose contents may be swapped, such as an `AppContainer`'s, and follows each swap.
  ///
  /// Each environment has a session, users and databases of its own. When another one is activated, the session that is
  /// archived there is restored as at a start, and ``status``, ``current`` and all other properties change together with
  /// the environment.
  ///
  /// - **Late answers.** The server is not waited for. What it answers for the old environment is dropped, and whoever
  ///   waits for that gets ``ContextError/environmentSwitched``.
  /// - **Old contexts.** The databases of an ``AppContext`` from the old environment are closed and throw
  ///   `DatabaseError.swapped`, also if the same user is logged in in the new one.
  /// - **Places.** Archive, secrets and caches lie below the root of the scope.
  /// - **Threads.** Subscribers of a switch must not wait for calls of this object: calls begin when all of them have
  ///   been called.
  ///
  /// - Parameters:
  ///   - scope: The root.
  ///   - directory: The name of the directory in it that holds everything.
  ///   - configuration: Where sessions are archived, and when they are renewed.
  ///   - storeVersions: What the databases of each user contain.
  ///   - time: The time by which sessions expire.
  /// - Throws: ``ContextError/archive(path:operation:reason:)`` if the directory cannot be used,
  ///   ``ContextError/outsideScope(place:root:)`` if the configuration names a place that all environments would share,
  ///   or ``ContextError/invalidPolicy(reason:)``.
  public convenience init(
    scope: Scope,
    directory: String = "Session",
    configuration: ContextConfiguration = ContextConfiguration(),
    storeVersions: StoreVersions = StoreVersions(),
    time: SessionTime = .system
  ) throws(ContextError) {
    try self.init(SessionPlace(scope, directory, configuration), configuration, storeVersions, time)
  }

  private init(
    _ place: SessionPlace, _ configuration: ContextConfiguration, _ storeVersions: StoreVersions, _ time: SessionTime
  ) throws(ContextError) {
    try configuration.policy.validate()
    let (root, bell, environments) = (place.root, place.bell, place.environments)
    self.root = root
    let layout = StoreLayout(
      root: root,
      cacheRoot: configuration.cacheDirectory ?? root.appending(path: "caches", directoryHint: .isDirectory))
    self.layout = layout
    let archive: any SessionArchive =
      switch configuration.archiveLocation {
      case .database:
        DatabaseArchive(url: OtherArchives.database(in: root), isInScope: environments != nil)
      case .file(let url): FileArchive(url: url)
      }
    let secrets =
      configuration.secrets
      ?? FileSecretStore(directory: root.appending(path: "secrets", directoryHint: .isDirectory))
    let vault = SessionVault<User>(
      archive: archive, coding: UserCoding(secrets: secrets),
      lockURL: root.appending(path: "archive", directoryHint: .notDirectory),
      claims: RenewalClaims(url: root.appending(path: "renewal.json", directoryHint: .notDirectory)),
      lockTimeout: configuration.policy.lockTimeout,
      others: OtherArchives(root: root, location: configuration.archiveLocation, isInScope: environments != nil),
      keyPrefix: SecretNames.prefix(
        root: root, location: configuration.archiveLocation, isShared: configuration.secrets != nil),
      environments: environments)
    let controller = AuthController<User>()
    authController = controller
    let board = SessionBoard<User>(standardID: Self.standardID) { id in
      Store(
        persistenceDirectory: layout.persistenceDirectory(of: id), cacheDirectory: layout.cacheDirectory(of: id),
        versions: storeVersions, scope: environments?.scope)
    }
    self.board = board
    let queue = DispatchQueue(label: "org.signals.session", qos: .userInitiated)
    let engine = SessionEngine<User>(
      vault: vault,
      server: DelegateServer(
        controller: controller, vault: vault, policy: configuration.policy,
        refreshLockURL: root.appending(path: "refresh", directoryHint: .notDirectory)),
      time: time, policy: configuration.policy,
      executor: { queue.async(execute: $0) },
      show: { board.show($0) },
      wrote: { Self.ring(bell, $0) })
    self.engine = engine
    let following = bell.sink { [weak engine] revision in
      engine?.look(for: revision)
      engine?.run { Self.load(board, $0) }
    }
    controller.whenSet { [weak engine] in engine?.submit(.delegateSet) }
    let follower = environments.map { SessionFollower($0, engine, board, queue: queue) }
    // Before the archive is read for the first time.
    let membership = environments.flatMap { environments in follower.map { environments.scope.enrol($0) } }
    let owner = SessionOwner(
      engine: engine, bell: bell, subscriptions: [following] + (membership.map { [$0] } ?? []), follower: follower)
    current = Property(board.current, keeping: owner)
    authState = Property(board.authState, keeping: owner)
    activity = Property(board.activity, keeping: owner)
    lastError = Property(board.lastError, keeping: owner)
    user = Property(board.user, keeping: owner)
    status = Property(board.status, keeping: owner)
    historyUsers = Property(board.history, keeping: owner)
  }

  /// Tells other processes, and the history of this one, that the archive has changed.
  ///
  /// The number is always another one: a process that comes late must not hide what a faster one has told.
  static func ring(_ bell: AppGroupsFile<Int>, _ revision: Int) {
    do {
      // Whatever is in it, be it damaged.
      try bell.change(overwriting: true) { $0 = $0 == .max ? revision : max($0 + 1, revision) }
    } catch {
      // They will see the change with the next one, or when they go on after a pause.
    }
  }

  static func load(_ board: SessionBoard<User>, _ engine: SessionEngine<User>) {
    let (environment, machine) = engine.state.withLock { ($0.environment, $0.machine) }
    guard machine.state != .restoring else { return }
    do {
      board.show(try engine.vault.bound(to: environment).users(), in: environment)
    } catch {
      // An archive that cannot be read is told by `lastError`; the last list stands.
    }
  }

  /// The context without a user, for what belongs to nobody; another one in each environment.
  public var standard: AppContext<User> { board.standard }

  // MARK: Asking

  /// Asks the engine, and waits for its answer.
  func ask<Answer: Sendable>(
    _ begin:
      @escaping @Sendable (
        SessionEngine<User>, _ reply: @escaping @Sendable (Result<Answer, ContextError>) -> Void
      ) -> Void
  ) async throws -> Answer {
    let call = PendingCall<Answer>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if call.begin(continuation) { begin(engine) { call.end($0) } }
      }
    } onCancel: {
      call.cancel()
    }
  }
}
