import AppGroups
import Signals
import Stores

/// The observable properties of the session.
final class SessionBoard<User: SessionUser>: Sendable {
  let current: MutableProperty<AppContext<User>>
  let status: MutableProperty<SessionStatus<User>>
  let history = MutableProperty<[ArchivedUser<User>]>([])

  private let makeStore: @Sendable (_ userID: String?) -> Store
  private let state: Guarded<State>

  /// The state of the board.
  ///
  /// Its lock is also held while the properties are written in a batch, so that an older value never follows a newer
  /// one.
  private struct State {
    var standard: AppContext<User>
    /// The number of the session that is shown.
    var context = 0
    /// The position of the status that is shown.
    var number = 0
    var environment = 0
    /// The session that is shown.
    var session: StoredSession<User>?
    /// The queries that follow ``current``.
    var followers: [ObjectIdentifier: any ContextFollower] = [:]
  }

  init(standardID: String, makeStore: @escaping @Sendable (_ userID: String?) -> Store) {
    self.makeStore = makeStore
    let standard = AppContext<User>(id: standardID, user: nil, authState: .restoring, store: makeStore(nil))
    state = Guarded(State(standard: standard))
    current = MutableProperty(standard)
    status = MutableProperty(
      SessionStatus(authState: .restoring, activity: .idle, lastError: nil, user: nil, epoch: 0))
  }

  /// The context without a user in the active environment.
  var standard: AppContext<User> { state.withLock { $0.standard } }

  /// The session that is shown, which calls are made for.
  var session: StoredSession<User>? { state.withLock { $0.session } }

  /// Shows a session as one change.
  func show(_ shown: ShownSession<User>) {
    let old = current.value
    let next = context(of: shown)
    let prepared = next == old ? [:] : prepareSwitches(to: next.store)
    let changes = ScopeChanges()
    var isOther = false
    changes.publish {
      state.withLock { state in
        guard shown.number > state.number else { return }
        state.number = shown.number
        state.context = shown.context
        state.session = shown.session
        isOther = next != current.value
        write(shown.status, next)
        if isOther { publish(prepared, of: next.store, &state, into: changes) }
      }
    }
    changes.send()
    // At this point, the queries that follow the current context read the next one's databases.
    if isOther, !old.isStandard { old.store.close() }
  }

  /// Shows the session of another environment, with its own contexts, and closes the databases of the old environment.
  ///
  /// It is called inside a batch.
  ///
  /// - Parameters:
  ///   - shown: The session.
  ///   - users: All users in its archive.
  ///   - environment: The number of the environment.
  ///   - databases: The databases prepared for it.
  ///   - changes: The change that the session is a part of.
  func switchContexts(
    to shown: ShownSession<User>, users: [ArchivedUser<User>], in environment: Int, with databases: NextDatabases,
    into changes: ScopeChanges
  ) {
    let old = (current.value, standard)
    let status = shown.status
    let isExpected = status.user?.id == databases.userID
    let store = isExpected ? databases.store : makeStore(status.user?.id)
    let standard = AppContext<User>(
      id: old.1.id, user: nil, authState: status.user == nil ? status.authState : .unauthenticated,
      store: status.user == nil ? store : makeStore(nil))
    let next = status.user.map { AppContext(id: $0.id, user: $0, authState: status.authState, store: store) }
    state.withLock { state in
      state.standard = standard
      state.context = shown.context
      state.session = shown.session
      state.number = shown.number
      state.environment = environment
      write(status, next ?? standard)
      set(old.1.mutableAuthState, to: .unauthenticated)
      history.value = users
      publish(isExpected ? databases.prepared : [:], of: store, &state, into: changes)
    }
    for context in [old.0, old.1] { context.store.endBySwitch() }
    changes.afterwards {
      for context in [old.0, old.1] { context.store.close() }
    }
  }

  /// Shows all users of an archive, unless another environment has become active.
  func show(_ users: [ArchivedUser<User>], in environment: Int) {
    batch {
      state.withLock { state in
        if state.environment == environment { history.value = users }
      }
    }
  }

  /// Writes the properties.
  ///
  /// It is called inside a batch.
  private func write(_ new: SessionStatus<User>, _ next: AppContext<User>) {
    let old = current.value
    if next != old {
      current.value = next
      set(old.mutableAuthState, to: .unauthenticated)
    }
    if new.user != nil { next.mutableUser.value = new.user }
    set(next.mutableAuthState, to: new.authState)
    status.value = new
  }

  private func context(of shown: ShownSession<User>) -> AppContext<User> {
    let (standard, number) = state.withLock { ($0.standard, $0.context) }
    guard let user = shown.status.user else { return standard }
    if number == shown.context, !current.value.isStandard { return current.value }
    return AppContext(id: user.id, user: user, authState: shown.status.authState, store: makeStore(user.id))
  }

  /// Sets a property if the value is different, because a property sends equal values too.
  private func set<Value: Equatable>(_ property: MutableProperty<Value>, to value: Value) {
    if property.value != value { property.value = value }
  }
}

extension SessionBoard {
  /// The prepared switches of the followers, by their identity.
  typealias PreparedSwitches = [ObjectIdentifier: PreparedSwitch]

  /// The databases of an environment that is about to be shown.
  struct NextDatabases {
    let userID: String?
    let store: Store
    let prepared: PreparedSwitches
  }

  /// Reads the databases of a user in another environment, for all queries.
  func prepareDatabases(of userID: String?) -> NextDatabases {
    let store = makeStore(userID)
    return NextDatabases(userID: userID, store: store, prepared: prepareSwitches(to: store))
  }

  /// Adds a follower, to which the next contexts are shown.
  func add(_ follower: any ContextFollower) {
    state.withLock { $0.followers[ObjectIdentifier(follower)] = follower }
  }

  /// Makes a follower read the current context again, and shows what it has read.
  func renew(_ follower: any ContextFollower) {
    var isShown = false
    while !isShown {
      let store = current.value.store
      let prepared = follower.prepareSwitch(to: store, isRead: true)
      let changes = ScopeChanges()
      changes.publish {
        state.withLock { _ in
          isShown = store === current.value.store
          if isShown { prepared.publish(into: changes) }
        }
      }
      changes.send()
    }
  }

  func remove(_ follower: any ContextFollower) {
    state.replace { $0.followers.removeValue(forKey: ObjectIdentifier(follower)) }
  }

  private func prepareSwitches(to store: Store) -> PreparedSwitches {
    state.withLock { $0.followers }.mapValues { $0.prepareSwitch(to: store, isRead: true) }
  }

  /// Shows the rows of another context.
  ///
  /// It is called inside a batch with the lock held.
  private func publish(
    _ prepared: PreparedSwitches, of store: Store, _ state: inout State, into changes: ScopeChanges
  ) {
    for (key, follower) in state.followers {
      // A follower that was added after the preparation shows no rows yet.
      (prepared[key] ?? follower.prepareSwitch(to: store, isRead: false)).publish(into: changes)
    }
  }
}
