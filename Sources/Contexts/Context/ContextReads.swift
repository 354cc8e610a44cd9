import AppGroups
import Dispatch
import FileSignals
import Signals
import Stores

/// A query that follows the current context.
///
/// It is no subscriber of the context, because it reads before the context is shown, and is shown in the same change.
protocol ContextFollower: AnyObject, Sendable {
  /// Reads the database of a context that is about to be shown.
  ///
  /// - Parameters:
  ///   - store: The databases of the context.
  ///   - isRead: A Boolean value that is `false` if there is no time to read. The follower then shows no rows, and asks
  ///     the board again.
  /// - Returns: What was read, which ends when it is released. It is published with the lock of the board held.
  func prepareSwitch(to store: Store, isRead: Bool) -> PreparedSwitch
}

/// The reads of one query, across contexts.
final class ContextReads<User: SessionUser, Element: Sendable>: ContextFollower, QueryRound {
  typealias Read = @Sendable (Database) throws(DatabaseError) -> AnySignal<ContextReadEvent<Element>, Never>

  let values = MutableProperty<Element?>(nil)

  private let board: SessionBoard<User>
  private let kind: Store.Kind
  private let health: ReadHealth
  private let empty: Element
  private let read: Read
  /// The queries of the contexts report their failures themselves.
  private let forwarder: FailureForwarder
  private let state = Guarded(State())

  private struct State {
    /// The reading that is shown.
    var reading: Reading?
    /// The databases that are shown.
    var store: Store?
    var isOver = false
    var pauses = Backoff.exponential(from: .milliseconds(250), upTo: .seconds(5)).pauses()
  }

  /// The reading of one context's database, which ends when it is released.
  private final class Reading: Sendable {
    struct State {
      var isOpen = false
      var isShown = false
      /// The last events, which wait until they are shown.
      var value: Element?
      var status = SharedValueStatus<DatabaseError>.connecting
      var failures: [DatabaseError] = []
    }

    let state = Guarded(State())
    let subscription = Guarded<SignalSubscription?>(nil)
  }

  init(
    _ board: SessionBoard<User>, _ kind: Store.Kind, _ health: ReadHealth, empty: Element, _ read: @escaping Read
  ) {
    self.board = board
    self.kind = kind
    self.health = health
    forwarder = FailureForwarder { [weak failures = health.failures] in failures?.isObserved ?? false }
    self.empty = empty
    self.read = read
  }

  /// Reads the current context's database, and follows the current context.
  func start(_ scheduling: LiveQueryScheduling) {
    board.add(self)
    refresh()
  }

  func refresh() { board.renew(self) }

  func end() {
    board.remove(self)
    state.replace { state in
      state.isOver = true
      return state.reading.take()
    }
  }

  // MARK: Contexts

  func prepareSwitch(to store: Store, isRead: Bool) -> PreparedSwitch {
    let reading = isRead ? reading(of: store) : nil
    return PreparedSwitch { [self] changes in show(reading, of: store, into: changes) }
  }

  private func reading(of store: Store) -> Reading {
    let reading = Reading()
    do throws(DatabaseError) {
      let events = try read(store.database(kind))
      reading.state.withLock { $0.isOpen = true }
      let subscription = forwarder.attach {
        events.sink { [weak self, weak reading] event in
          if let self, let reading { receive(event, of: reading) }
        }
      }
      reading.subscription.withLock { $0 = subscription }
    } catch {
      reading.state.withLock { state in
        state.status = .stale(error, since: .now)
        state.failures = [error]
      }
    }
    return reading
  }

  /// Shows what was read, inside a batch.
  private func show(_ reading: Reading?, of store: Store, into changes: ScopeChanges) {
    var staged: [() -> Void] = []
    let (replaced, failures) = state.withLock { state -> (Reading?, [DatabaseError]) in
      guard !state.isOver else { return (reading, []) }
      let isOther = store !== state.store
      state.store = store
      let replaced = exchange(&state.reading, with: reading)
      replaced?.state.withLock { $0.isShown = false }
      guard let reading else {
        if values.value != nil { staged.append(values.stage(empty).send) }
        if health.status.value != .connecting { staged.append(health.status.stage(.connecting).send) }
        return (replaced, [])
      }
      return reading.state.withLock { read in
        read.isShown = true
        if read.isOpen { state.pauses.reset() }
        if let value = read.value.take() {
          staged.append(values.stage(value).send)
        } else if isOther, values.value != nil {
          staged.append(values.stage(empty).send)
        }
        let old = health.status.value
        var (status, failures) = (read.status, exchange(&read.failures, with: []))
        if !isOther, let failure = status.failure {
          status = .stale(failure, after: old)
          // The same failure is not reported again.
          if failure == old.failure { failures = [] }
        }
        if status != old { staged.append(health.status.stage(status).send) }
        return (replaced, failures)
      }
    }
    for send in staged { send() }
    let isReported = reading?.state.withLock { $0.isOpen } ?? false
    changes.afterwards { [staged] in
      // Replaced values are released here, because releasing them may run code of the application.
      withExtendedLifetime((staged, replaced)) {}
      for failure in failures { isReported ? self.health.failures.deliver(failure) : self.health.send(failure) }
      self.goOn(after: reading)
    }
  }

  /// Reads the context if that was not possible before, or tries again after a pause.
  private func goOn(after reading: Reading?) {
    let isOpen = reading?.state.withLock { $0.isOpen }
    if isOpen == true { return }
    let pause = state.withLock { state -> Duration? in
      guard !state.isOver, state.reading === reading else { return nil }
      return isOpen == nil ? .zero : state.pauses.next() ?? .seconds(5)
    }
    guard let pause else { return }
    if pause == .zero { return board.renew(self) }
    DispatchQueue.global(qos: .userInitiated).async(after: pause) { [weak self, weak reading] in
      guard let self, let reading, state.withLock({ $0.reading === reading }) else { return }
      board.renew(self)
    }
  }

  // MARK: Events

  private func receive(_ event: ContextReadEvent<Element>, of reading: Reading) {
    var failure: DatabaseError?
    var staged: [() -> Void] = []
    reading.state.withLock { state in
      switch event {
      case .value(let value) where state.isShown: staged.append(values.stage(value).send)
      case .value(let value): state.value = value
      case .failure(let error) where state.isShown: failure = error
      case .failure(let error): state.failures.append(error)
      case .status(let status) where state.isShown:
        if health.status.value != status { staged.append(health.status.stage(status).send) }
      case .status(let status): state.status = status
      }
    }
    for send in staged { send() }
    if let failure { health.failures.deliver(failure) }
  }
}

/// An event in the database of one context.
enum ContextReadEvent<Element: Sendable>: Sendable {
  case status(SharedValueStatus<DatabaseError>)
  case failure(DatabaseError)
  case value(Element)

  static func merged(
    _ failures: some Signal<DatabaseError, Never>, _ status: Property<SharedValueStatus<DatabaseError>>,
    _ values: some Signal<Element, Never>
  ) -> AnySignal<ContextReadEvent, Never> {
    // The values come last, because subscribing to them starts the read.
    merge(failures.map { .failure($0) }, status.map { .status($0) }, values.map { .value($0) }).eraseToAnySignal()
  }
}
