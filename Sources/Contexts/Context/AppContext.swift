public import Signals
public import Stores

/// One session of one user, or what there is without a user: who it is, and the user's databases.
///
/// A login makes a new one, a logout ends it: ``authState`` is then ``AuthState/unauthenticated`` for good, and
/// ``store`` is closed. To follow whichever context is the current one, observe ``StandardAppContext/current``, or what
/// else the ``StandardAppContext`` offers. The properties of an `AppContext` change only as long as that one is kept.
public final class AppContext<User: SessionUser>: Identifiable, Sendable {
  /// The user's identity; ``StandardAppContext/standardID`` if there is none.
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

  /// The user, as archived last; `nil` for the standard context.
  public var user: Property<User?> { mutableUser }

  /// How far the user is known.
  public var authState: Property<AuthState> { mutableAuthState }

  /// Whether there is no user in this context.
  public var isStandard: Bool { mutableUser.value == nil }
}

extension AppContext: Equatable {
  /// Whether two contexts are the same one.
  public static func == (left: AppContext, right: AppContext) -> Bool { left === right }
}
