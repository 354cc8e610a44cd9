import AppGroups
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
/// Have one for each root in a process, for as long as the process lives.
public final class StandardAppContext<User: SessionUser>: Sendable {
  /// The identity of the context without a user.
  public static var standardID: String { "__standard__" }

  /// The directory that holds everything.
  public let root: URL

  /// Knows the delegate that speaks with the server.
  public let authController: AuthController<User>

  let engine: SessionEngine<User>
  let board: SessionBoard<User>
  let layout: StoreLayout
  let history: MutableProperty<[ArchivedUser<User>]>
  private let bell: AppGroupsFile<Int>
  private let subscription: SignalSubscription

  /// Opens a root; nothing is read before ``setup(authDelegate:migrate:)``.
  ///
  /// - Parameters:
  ///   - root: The directory that holds everything, made if need be; processes of the same user may share it.
  ///   - configuration: Where sessions are archived, and when they are renewed.
  ///   - storeVersions: What the databases of each user contain.
  ///   - time: The time by which sessions expire.
  /// - Throws: ``ContextError/archive(path:operation:reason:)`` if the directory cannot be used.
  public init(
    root: URL,
    configuration: ContextConfiguration = ContextConfiguration(),
    storeVersions: StoreVersions = StoreVersions(),
    time: SessionTime = .system
  ) throws(ContextError) {
    let place: (container: AppGroupsContainer, bell: AppGroupsFile<Int>)
    do {
      let container = try AppGroupsContainer(directory: root)
      place = (container, try AppGroupsFile(name: "revision.json", initialValue: 0, container: container))
    } catch {
      throw .archive(path: root.path, operation: "open the directory of", reason: "\(error)")
    }
    let root = place.container.containerURL
    let bell = place.bell
    self.root = root
    self.bell = bell
    let layout = StoreLayout(
      root: root,
      cacheRoot: configuration.cacheDirectory ?? root.appending(path: "caches", directoryHint: .isDirectory))
    self.layout = layout
    let archive: any SessionArchive =
      switch configuration.archiveLocation {
      case .database: DatabaseArchive(url: root.appending(path: "session.sqlite", directoryHint: .notDirectory))
      case .file(let url): FileArchive(url: url)
      }
    let secrets =
      configuration.secrets
      ?? FileSecretStore(directory: root.appending(path: "secrets", directoryHint: .isDirectory))
    let vault = SessionVault<User>(
      archive: archive, coding: UserCoding(secrets: secrets),
      lockURL: root.appending(path: "archive", directoryHint: .notDirectory),
      claims: RenewalClaims(url: root.appending(path: "renewal.json", directoryHint: .notDirectory)),
      lockTimeout: configuration.policy.lockTimeout)
    let controller = AuthController<User>()
    authController = controller
    let board = SessionBoard<User>(standardID: Self.standardID) { id in
      Store(
        persistenceDirectory: layout.persistenceDirectory(of: id), cacheDirectory: layout.cacheDirectory(of: id),
        versions: storeVersions)
    }
    self.board = board
    let history = MutableProperty<[ArchivedUser<User>]>([])
    self.history = history
    let queue = DispatchQueue(label: "org.signals.session", qos: .userInitiated)
    let engine = SessionEngine<User>(
      vault: vault,
      server: DelegateServer(
        controller: controller, vault: vault, policy: configuration.policy,
        refreshLockURL: root.appending(path: "refresh", directoryHint: .notDirectory)),
      time: time, policy: configuration.policy,
      executor: { queue.async(execute: $0) },
      show: { board.show($0, $1) },
      wrote: { Self.ring(bell, $0) })
    self.engine = engine
    subscription = bell.sink { [weak engine] revision in
      engine?.look(for: revision)
      engine?.run { Self.load(history, $0) }
    }
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

  static func load(_ history: MutableProperty<[ArchivedUser<User>]>, _ engine: SessionEngine<User>) {
    guard engine.machine.state != .restoring else { return }
    do {
      history.value = try engine.vault.users()
    } catch {
      // An archive that cannot be read is told by `lastError`; the last list stands.
    }
  }

  // MARK: What there is

  /// The current context: the user's, or ``standard``.
  public var current: Property<AppContext<User>> { board.current }

  /// The context without a user, for what belongs to nobody.
  public var standard: AppContext<User> { board.standard }

  /// How far the current user is known; it follows every switch.
  public var authState: Property<AuthState> { board.authState }

  /// What is being done about the session.
  public var activity: Property<AuthActivity> { board.activity }

  /// What went wrong last; `nil` again when the next thing of its kind goes right.
  public var lastError: Property<ContextError?> { board.lastError }

  /// The current user; it follows every switch.
  public var user: Property<User?> { board.user }

  /// All of these, as they belong together.
  public var status: Property<SessionStatus<User>> { board.status }

  // MARK: Asking

  /// Asks the engine, and waits for its answer.
  func ask(
    _ begin: @escaping @Sendable (SessionEngine<User>, @escaping SessionEngine<User>.Reply) -> Void
  ) async throws -> User? {
    let call = PendingCall<User>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if call.begin(continuation) { begin(engine) { call.end($0) } }
      }
    } onCancel: {
      call.cancel()
    }
  }
}
