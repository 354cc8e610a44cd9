import Signals
import Stores

/// The observable properties of the session.
final class SessionBoard<User: SessionUser>: Sendable {
  let current: MutableProperty<AppContext<User>>
  let status: MutableProperty<SessionStatus<User>>
  let authState: Property<AuthState>
  let activity: Property<AuthActivity>
  let lastError: Property<ContextError?>
  let user: Property<User?>
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
    /// The number of ``current``, and the queries that follow it.
    var contextNumber = 0
    var followers: [ObjectIdentifier: any ContextFollower] = [:]
  }

  init(standardID: String, makeStore: @escaping @Sendable (_ userID: String?) -> Store) {
    self.makeStore = makeStore
    let standard = AppContext<User>(id: standardID, user: nil, authState: .restoring, store: makeStore(nil))
    state = Guarded(State(standard: standard))
    current = MutableProperty(standard)
    status = MutableProperty(
      SessionStatus(authState: .restoring, activity: .idle, lastError: nil, user: nil, epoch: 0))
    authState = .derived(status) { $0.authState }
    activity = .derived(status) { $0.activity }
    lastError = .derived(status) { $0.lastError }
    user = .derived(status) { $0.user }
  }

  /// The context without a user in the active environment.
  var standard: AppContext<User> { state.withLock { $0.standard } }

  /// The session that is shown, which calls are made for.
  var session: StoredSession<User>? { state.withLock { $0.session } }

  /// Shows a session as one change.
  func show(_ shown: ShownSession<User>) {
    let old = current.value
    let next = context(of: shown)
    let readings = next == old ? [:] : prepareReadings(of: next.store)
    let finish = batch {
      state.withLock { state -> (() -> Void)? in
        guard shown.number > state.number else { return nil }
        state.number = shown.number
        state.context = shown.context
        state.session = shown.session
        let isOther = next != current.value
        write(shown.status, next)
        return isOther ? publish(readings, of: next.store, &state) : {}
      }
    }
    guard let finish else {
      for (follower, reading) in readings.values { follower.discard(reading) }
      return
    }
    finish()
    // At this point, the queries that follow the current context read the next one's databases.
    if next != old, !old.isStandard { old.store.close() }
  }

  /// Shows the session of another environment, with its own contexts.
  ///
  /// It is called inside a batch.
  ///
  /// - Parameters:
  ///   - shown: The session.
  ///   - users: All users in its archive.
  ///   - environment: The number of the environment.
  ///   - databases: The databases prepared for it.
  /// - Returns: An action to run after the batch, which closes the databases of the old environment.
  func switchContexts(
    to shown: ShownSession<User>, users: [ArchivedUser<User>], in environment: Int, with databases: NextDatabases
  ) -> () -> Void {
    let old = (current.value, standard)
    let status = shown.status
    let isExpected = status.user?.id == databases.userID
    let store = isExpected ? databases.store : makeStore(status.user?.id)
    let standard = AppContext<User>(
      id: old.1.id, user: nil, authState: status.user == nil ? status.authState : .unauthenticated,
      store: status.user == nil ? store : makeStore(nil))
    let next = status.user.map { AppContext(id: $0.id, user: $0, authState: status.authState, store: store) }
    let finish = state.withLock { state in
      state.standard = standard
      state.context = shown.context
      state.session = shown.session
      state.number = shown.number
      state.environment = environment
      write(status, next ?? standard)
      set(old.1.mutableAuthState, to: .unauthenticated)
      history.value = users
      return publish(isExpected ? databases.readings : [:], of: store, &state)
    }
    for context in [old.0, old.1] { context.store.endBySwitch() }
    return {
      finish()
      if !isExpected { for (follower, reading) in databases.readings.values { follower.discard(reading) } }
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

extension SessionBoard: ContextBoard {
  typealias Readings = [ObjectIdentifier: (follower: any ContextFollower, reading: Int)]

  /// The databases of an environment that is about to be shown.
  struct NextDatabases: Sendable {
    let userID: String?
    let store: Store
    let readings: Readings
  }

  /// Reads the databases of a user in another environment, for all queries.
  func prepareDatabases(of userID: String?) -> NextDatabases {
    let store = makeStore(userID)
    return NextDatabases(userID: userID, store: store, readings: prepareReadings(of: store))
  }

  func add(_ follower: any ContextFollower) -> (store: Store, context: Int) {
    state.withLock { state in
      state.followers[ObjectIdentifier(follower)] = follower
      return (current.value.store, state.contextNumber)
    }
  }

  func remove(_ follower: any ContextFollower) {
    state.replace { $0.followers.removeValue(forKey: ObjectIdentifier(follower)) }
  }

  private func prepareReadings(of store: Store) -> Readings {
    state.withLock { $0.followers }.mapValues { ($0, $0.prepare(store)) }
  }

  /// Shows the rows of another context.
  ///
  /// It is called inside a batch with the lock held.
  ///
  /// - Returns: An action to run after the batch.
  private func publish(_ readings: Readings, of store: Store, _ state: inout State) -> () -> Void {
    state.contextNumber += 1
    let (context, followers) = (state.contextNumber, state.followers)
    // A follower that was added after the preparation shows no rows yet.
    let actions = followers.map { key, follower in follower.publish(readings[key]?.reading, in: store, of: context) }
    return { for action in actions { action() } }
  }
}
