import AppGroups
public import Signals
public import Stores

/// The context of one session: the user, if there is one, and the user's databases.
///
/// - **Lifetime.** A login creates a context, and a logout ends it. After that, ``authState`` stays
///   ``AuthState/unauthenticated``, and ``store`` is closed.
/// - **Following the user.** To follow the current context, observe ``StandardAppContext/current`` or the other
///   properties of the ``StandardAppContext``. The properties of an `AppContext` change only while the
///   ``StandardAppContext`` is retained.
public final class AppContext<User: SessionUser>: Identifiable, Sendable {
  /// The user's identity, or ``StandardAppContext/standardID`` if there is no user.
  public let id: String

  /// The user's databases.
  public let store: Store

  let mutableUser: MutableProperty<User?>
  let mutableAuthState: MutableProperty<AuthState>

  init(id: String, user: User?, authState: AuthState, store: Store) {
    self.id = id
    self.store = store
    mutableUser = MutableProperty(user)
    mutableAuthState = MutableProperty(authState)
  }

  /// The user as last archived, or `nil` for the standard context.
  public var user: Property<User?> { mutableUser }

  /// The state of authentication.
  public var authState: Property<AuthState> { mutableAuthState }

  /// A Boolean value that indicates whether this context has no user.
  public var isStandard: Bool { mutableUser.value == nil }
}

extension AppContext: Equatable {
  /// Returns whether two contexts are the same object.
  public static func == (left: AppContext, right: AppContext) -> Bool { left === right }
}

/// The parts of a context that follow the session.
///
/// The context's properties keep them alive.
final class SessionOwner: Sendable {
  private let parts: [any Sendable]

  init(_ parts: [any Sendable]) {
    self.parts = parts
  }
}
