import Signals
import Stores

/// The properties by which everyone sees the session.
final class SessionBoard<User: SessionUser>: Sendable {
  let current: MutableProperty<AppContext<User>>
  let status: MutableProperty<SessionStatus<User>>
  let authState = MutableProperty(AuthState.restoring)
  let activity = MutableProperty(AuthActivity.idle)
  let lastError = MutableProperty<ContextError?>(nil)
  let user = MutableProperty<User?>(nil)
  let history = MutableProperty<[ArchivedUser<User>]>([])

  private let makeStore: @Sendable (_ userID: String?) -> Store
  private let state: Guarded<State>

  /// Its lock is also held while the properties are written, inside a batch, so that nothing old comes after it.
  private struct State {
    var standard: AppContext<User>
    /// The number of the session that is shown.
    var context = 0
    /// The place of what is shown.
    var number = 0
    var environment = 0
  }

  init(standardID: String, makeStore: @escaping @Sendable (_ userID: String?) -> Store) {
    self.makeStore = makeStore
    let standard = AppContext<User>(id: standardID, user: nil, authState: .restoring, store: makeStore(nil))
    state = Guarded(State(standard: standard))
    current = MutableProperty(standard)
    status = MutableProperty(
      SessionStatus(authState: .restoring, activity: .idle, lastError: nil, user: nil, epoch: 0))
  }

  /// The context without a user, of the active environment.
  var standard: AppContext<User> { state.withLock { $0.standard } }

  /// Shows a session, as one change.
  func show(_ shown: ShownSession<User>) {
    let old = current.value
    let next = context(of: shown)
    let isShown = batch {
      state.withLock { state in
        guard shown.number > state.number else { return false }
        state.number = shown.number
        state.context = shown.context
        write(shown.status, next)
        return true
      }
    }
    guard isShown, next != old, !old.isStandard else { return }
    // By now those who follow the current context look at the next one's databases, or know that they will.
    old.store.close()
  }

  /// Shows the session of another environment, with contexts of its own.
  ///
  /// It is called inside a batch.
  ///
  /// - Parameters:
  ///   - shown: The session.
  ///   - users: All users in its archive.
  ///   - environment: The number of the environment.
  /// - Returns: An action that closes the databases of the old environment, for the time after the batch.
  func goOver(to shown: ShownSession<User>, users: [ArchivedUser<User>], in environment: Int) -> () -> Void {
    let old = (current.value, standard)
    let status = shown.status
    let standard = AppContext<User>(
      id: old.1.id, user: nil, authState: status.user == nil ? status.authState : .unauthenticated,
      store: makeStore(nil))
    let next = status.user.map {
      AppContext(id: $0.id, user: $0, authState: status.authState, store: makeStore($0.id))
    }
    state.withLock { state in
      state.standard = standard
      state.context = shown.context
      state.number = shown.number
      state.environment = environment
      write(status, next ?? standard)
      set(old.1.mutableAuthState, to: .unauthenticated)
      history.value = users
    }
    for context in [old.0, old.1] { context.store.endBySwap() }
    return { for context in [old.0, old.1] { context.store.close() } }
  }

  /// Shows all users of an archive, unless another environment is active by now.
  func show(_ users: [ArchivedUser<User>], in environment: Int) {
    batch {
      state.withLock { state in
        if state.environment == environment { history.value = users }
      }
    }
  }

  /// Writes the properties, inside a batch.
  private func write(_ new: SessionStatus<User>, _ next: AppContext<User>) {
    let old = current.value
    if next != old {
      current.value = next
      set(old.mutableAuthState, to: .unauthenticated)
    }
    if new.user != nil { next.mutableUser.value = new.user }
    set(next.mutableAuthState, to: new.authState)
    set(authState, to: new.authState)
    set(activity, to: new.activity)
    set(lastError, to: new.lastError)
    user.value = new.user
    status.value = new
  }

  private func context(of shown: ShownSession<User>) -> AppContext<User> {
    let (standard, number) = state.withLock { ($0.standard, $0.context) }
    guard let user = shown.status.user else { return standard }
    if number == shown.context, !current.value.isStandard { return current.value }
    return AppContext(id: user.id, user: user, authState: shown.status.authState, store: makeStore(user.id))
  }

  /// Sets what is different; a property would send what is equal, too.
  private func set<Value: Equatable>(_ property: MutableProperty<Value>, to value: Value) {
    if property.value != value { property.value = value }
  }
}
