import Signals
import Stores

/// Where everybody sees what has become of the session.
final class SessionBoard<User: SessionUser>: Sendable {
  let standard: AppContext<User>
  let current: MutableProperty<AppContext<User>>
  let status: MutableProperty<SessionStatus<User>>
  let authState = MutableProperty(AuthState.restoring)
  let activity = MutableProperty(AuthActivity.idle)
  let lastError = MutableProperty<ContextError?>(nil)
  let user = MutableProperty<User?>(nil)

  private let makeStore: @Sendable (_ userID: String?) -> Store
  /// The number of the session that is shown.
  private let shown = Guarded(0)

  init(standardID: String, makeStore: @escaping @Sendable (_ userID: String?) -> Store) {
    self.makeStore = makeStore
    standard = AppContext(id: standardID, user: nil, authState: .restoring, store: makeStore(nil))
    current = MutableProperty(standard)
    status = MutableProperty(
      SessionStatus(authState: .restoring, activity: .idle, lastError: nil, user: nil, epoch: 0))
  }

  /// Shows a status, as one change.
  ///
  /// - Parameters:
  ///   - new: The status.
  ///   - number: Another one for each session.
  func show(_ new: SessionStatus<User>, _ number: Int) {
    let old = current.value
    let next = context(of: new, number)
    shown.withLock { $0 = number }
    batch {
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
    // By now those who follow the current context look at the next one's databases, or know that they will.
    if next != old, !old.isStandard { old.store.close() }
  }

  private func context(of status: SessionStatus<User>, _ number: Int) -> AppContext<User> {
    guard let user = status.user else { return standard }
    if number == shown.withLock({ $0 }), !current.value.isStandard { return current.value }
    return AppContext(id: user.id, user: user, authState: status.authState, store: makeStore(user.id))
  }

  /// Sets what is different; a property would send what is equal, too.
  private func set<Value: Equatable>(_ property: MutableProperty<Value>, to value: Value) {
    if property.value != value { property.value = value }
  }
}
