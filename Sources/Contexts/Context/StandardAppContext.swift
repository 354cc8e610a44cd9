public import AppGroups
import Dispatch
import FileSignals
public import Foundation
public import Signals
public import Stores

/// The observable session of a root: the current user, the user's data, and the validity of the session.
///
/// ```swift
/// import AppGroups
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
/// try AppGroupsContainer(directory: root).suspend()
/// try FileManager.default.removeItem(at: root)
/// ```
///
/// - **Durability.** Nothing is shown before it is archived. ``authState`` and ``current`` survive a crash, and the
///   next start restores them. A restored user is ``AuthState/presession`` until the delegate trusts the session or has
///   renewed it.
/// - **Late answers.** An answer counts only for the session that was asked for. After a logout or another login, in
///   this or another process, it changes nothing.
/// - **Renewals.** All processes of a root perform one renewal of a user's session at a time. Calls made during it
///   receive its answer. The next process finds the new session in the archive, and does not ask again. No process
///   waits longer for another than ``SessionPolicy/lockTimeout``.
/// - **Users of calls.** A call is for the user who is shown when it begins. If another user follows while it waits,
///   that user's session is left alone.
/// - **Failure and rejection.** If a renewal fails, the user stays, and it is tried again at growing intervals. If the
///   delegate throws ``AuthRejection``, the user is logged out.
/// - **Logout** always works, even if the server cannot be notified.
/// - **Threads.** All methods may be called from any thread. Subscribers are called on a queue of the context, one
///   change after another. A subscriber must not block while it waits for an answer of the context.
/// - **Lifetime.** The properties and queries of a context keep its session up to date, even after the context itself
///   was released. The properties of an ``AppContext`` do not.
///
/// Create one for each root in a process, and keep it for as long as the process lives.
public final class StandardAppContext<User: SessionUser>: Sendable {
  /// The identity of the context without a user.
  public static var standardID: String { "__standard__" }

  /// The directory that holds all data; in a scope, all data of the active environment.
  public let root: URL

  /// The holder of the delegate that communicates with the server.
  public let authController: AuthController<User>

  // MARK: Properties

  /// The current context: the user's, or ``standard``.
  ///
  /// Until ``setup(authDelegate:migrate:)`` has returned, it is ``standard``, even if a user is archived.
  public let current: Property<AppContext<User>>

  /// The state of authentication of the current user.
  public let authState: Property<AuthState>

  /// The current activity of the session.
  public let activity: Property<AuthActivity>

  /// The last error, or `nil` after the next success of the same kind.
  public let lastError: Property<ContextError?>

  /// The current user.
  public let user: Property<User?>

  /// The status of the session, with all of these values as one.
  public let status: Property<SessionStatus<User>>

  /// All current and earlier users, in the order of their first logins.
  ///
  /// It is empty until ``setup(authDelegate:migrate:)`` has returned.
  public let historyUsers: Property<[ArchivedUser<User>]>

  let engine: SessionEngine<User>
  let board: SessionBoard<User>
  let layout: StoreLayout

  /// Opens a root.
  ///
  /// Nothing is read before ``setup(authDelegate:migrate:)``.
  ///
  /// - Parameters:
  ///   - root: The directory that holds all data, created if it is missing. Processes of the same user may share it.
  ///     Choose one that holds nothing else: a file `Files/revision.json` of yours would be overwritten.
  ///   - configuration: The configuration of the archive and of renewals.
  ///   - storeVersions: The versions of the databases of each user.
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

  /// Opens the sessions of a root whose contents may be switched, such as an `AppContainer`'s, and follows each switch.
  ///
  /// Each environment has its own session, users and databases. When another environment is activated, its archived
  /// session is restored as at a start. ``status``, ``current`` and all other properties change together with the
  /// environment.
  ///
  /// - **Late answers.** A switch does not wait for the server. An answer for the old environment is dropped, and
  ///   pending calls throw ``ContextError/environmentSwitched``.
  /// - **Old contexts.** The databases of an ``AppContext`` from the old environment are closed and throw
  ///   `DatabaseError.switched`, even if the same user is logged in in the new one.
  /// - **Places.** The archive, the secrets and the caches are below the root of the scope.
  /// - **Threads.** Subscribers of a switch must not wait for calls of this object, because calls begin only after all
  ///   subscribers were called.
  ///
  /// - Parameters:
  ///   - scope: The root.
  ///   - directory: The name of the directory in it that holds all data.
  ///   - configuration: The configuration of the archive and of renewals.
  ///   - storeVersions: The versions of the databases of each user.
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
      keepsSessions: configuration.policy.keepsSessions,
      environments: environments)
    let controller = AuthController<User>()
    authController = controller
    let board = SessionBoard<User>(standardID: Self.standardID) { id in
      Store(
        persistenceDirectory: layout.persistenceDirectory(of: id), cacheDirectory: layout.cacheDirectory(of: id),
        versions: storeVersions, scope: environments?.scope)
    }
    self.board = board
    let lastError = Property.derived(board.status) { $0.lastError }
    let failures = FailureRelay<ContextError>(of: "StandardAppContext", root.path, isKept: true)
    let queue = DispatchQueue(label: "org.signals.session", qos: .userInitiated)
    let engine = SessionEngine<User>(
      vault: vault,
      server: DelegateServer(controller: controller, vault: vault, policy: configuration.policy),
      time: time, policy: configuration.policy,
      executor: { queue.async(execute: $0) },
      show: { board.show($0) },
      wrote: { Self.ring(bell, $0) },
      failed: { error in failures.report(error) { board.status.isObserved || lastError.isObserved } })
    self.engine = engine
    let following = bell.sink { [weak engine] revision in
      engine?.look(for: revision)
      engine?.run(soon: true) { Self.load(board, $0) }
    }
    let setting = controller.settings.sink { [weak engine] _ in engine?.submit(.delegateSet) }
    let follower = environments.map { SessionFollower($0, engine, board, queue: queue) }
    // This comes before the first read of the archive.
    let membership = environments.flatMap { environments in follower.map { environments.scope.enrol($0) } }
    let suspending = Suspensions.shared.add(engine, at: root)
    let owner = SessionOwner([engine, bell, following, setting, suspending, membership, follower])
    engine.keepAlive(by: owner)
    current = Property(board.current, keeping: owner)
    authState = Property(.derived(board.status) { $0.authState }, keeping: owner)
    activity = Property(.derived(board.status) { $0.activity }, keeping: owner)
    self.lastError = Property(lastError, keeping: owner)
    user = Property(.derived(board.status) { $0.user }, keeping: owner)
    status = Property(board.status, keeping: owner)
    historyUsers = Property(board.history, keeping: owner)
  }

  /// Notifies other processes, and the history of this one, that the archive has changed.
  ///
  /// The number is always a new one, so that a slow process does not hide the announcement of a faster one.
  static func ring(_ bell: AppGroupsFile<Int>, _ revision: Int) {
    // Other processes see the change with the next announcement, or when they resume after a pause.
    // The old content does not matter, even if it is damaged.
    tolerating { try bell.change(overwriting: true) { $0 = $0 == .max ? revision : max($0 + 1, revision) } }
  }

  static func load(_ board: SessionBoard<User>, _ engine: SessionEngine<User>) {
    let (environment, machine) = engine.state.withLock { ($0.environment, $0.machine) }
    guard machine.state != .restoring else { return }
    // `lastError` reports an archive that cannot be read. The last list stays.
    tolerating { board.show(try engine.vault.bound(to: environment).users(), in: environment) }
  }

  /// The context without a user, for data that belongs to no user.
  ///
  /// Each environment has its own.
  public var standard: AppContext<User> { board.standard }

  /// The failures of everything in the root and in the directory of caches: the session, its databases and their
  /// queries.
  ///
  /// Each report says what it concerns. Of the session, it contains the errors that no call has thrown; see
  /// ``lastError``. A subscriber first receives the last few reports. See `FailureReport`.
  public var failures: some Signal<FailureReport, Never> { FailureReport.inside([root, layout.cacheRoot]) }

  // MARK: Requests

  /// Sends a request to the engine, and waits for its answer.
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
