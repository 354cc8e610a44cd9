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
  /// - Returns: The number of the reading.
  func prepare(_ store: Store) -> Int

  /// Shows a prepared reading.
  ///
  /// It is called inside a batch.
  ///
  /// - Parameters:
  ///   - reading: The number of the reading, or `nil` if the context could not be read yet.
  ///   - store: The databases of the context.
  ///   - context: The number of the context. If it is older than the one that is shown, this does nothing.
  /// - Returns: An action to run after the batch.
  func publish(_ reading: Int?, in store: Store, of context: Int) -> () -> Void

  /// Drops a prepared reading.
  func discard(_ reading: Int)
}

/// A board that knows the current context, and notifies its followers of the next one.
protocol ContextBoard: Sendable {
  /// Adds a follower.
  ///
  /// - Returns: The databases of the current context, and the number of that context.
  func add(_ follower: any ContextFollower) -> (store: Store, context: Int)

  func remove(_ follower: any ContextFollower)
}

/// The reads of one query, across contexts.
final class ContextReads<Element: Sendable>: ContextFollower {
  typealias Read = @Sendable (Database) throws(DatabaseError) -> AnySignal<ContextReadEvent<Element>, Never>

  /// The last value, or `nil` before the first.
  let values = MutableProperty<Element?>(nil)

  private let board: any ContextBoard
  private let kind: Store.Kind
  private let health: ContextReadHealth
  private let empty: Element
  private let read: Read
  private let state = Guarded(State())

  private struct State {
    /// The readings in progress, one of which is shown.
    var readings: [Int: Reading] = [:]
    var count = 0
    var shown: Int?
    /// The number of the context that is shown.
    var context = -1
    var isOver = false
    var pauses = Backoff.exponential(from: .milliseconds(250), upTo: .seconds(5)).pauses()
  }

  /// The reading of one context's database.
  private struct Reading {
    var subscription: SignalSubscription?
    var isOpen = false
    /// The last events, which wait until they are shown.
    var value: Element?
    var status = SharedValueStatus<DatabaseError>.connecting
    var failures: [DatabaseError] = []

    mutating func note(_ event: ContextReadEvent<Element>) {
      switch event {
      case .value(let value): self.value = value
      case .failure(let error): failures.append(error)
      case .status(let status): self.status = status
      }
    }
  }

  init(
    _ board: any ContextBoard, _ kind: Store.Kind, _ health: ContextReadHealth, empty: Element, _ read: @escaping Read
  ) {
    self.board = board
    self.kind = kind
    self.health = health
    self.empty = empty
    self.read = read
  }

  /// Reads the current context's database, and follows the current context.
  func start() {
    let (store, context) = board.add(self)
    attach(store, of: context)
  }

  /// Ends all reads.
  func end() {
    board.remove(self)
    state.replace { state in
      state.isOver = true
      return exchange(&state.readings, with: [:]).values.map(\.subscription)
    }
  }

  private func attach(_ store: Store, of context: Int) {
    let reading = prepare(store)
    let finish = batch { publish(reading, in: store, of: context) }
    finish()
  }

  // MARK: Contexts

  func prepare(_ store: Store) -> Int {
    let number = state.withLock { state in
      state.count += 1
      state.readings[state.count] = Reading()
      return state.count
    }
    do throws(DatabaseError) {
      let events = try read(store.database(kind))
      state.withLock { $0.readings[number]?.isOpen = true }
      let subscription = events.sink { [weak self] event in self?.receive(event, of: number) }
      let isNeeded = state.withLock { state in
        state.readings[number]?.subscription = subscription
        return state.readings[number] != nil
      }
      if !isNeeded { subscription.cancel() }
    } catch {
      receive(.status(.stale(error, since: .now)), of: number)
      receive(.failure(error), of: number)
    }
    return number
  }

  func publish(_ reading: Int?, in store: Store, of context: Int) -> () -> Void {
    var staged: [() -> Void] = []
    state.withLock { state in
      guard !state.isOver, context >= state.context else { return }
      let isOther = context != state.context
      let found = reading.flatMap { state.readings[$0] }
      state.context = context
      // The previous reading ends after the batch. Its events until then are dropped.
      state.shown = found == nil ? nil : reading
      if found?.isOpen == true { state.pauses.reset() }
      let hasValue = values.value != nil
      if let value = found?.value {
        staged.append(values.stage(value).send)
      } else if isOther, hasValue {
        staged.append(values.stage(empty).send)
      }
      let old = health.status.value
      var status = found?.status ?? (isOther ? .connecting : old)
      if !isOther, let failure = status.failure {
        status = .stale(failure, after: old)
        // The same failure is not reported again.
        if failure == old.failure, let reading { state.readings[reading]?.failures = [] }
      }
      if status != old { staged.append(health.status.stage(status).send) }
    }
    for send in staged { send() }
    return { [staged] in
      // Replaced values are released here, because releasing them may run code of the application.
      withExtendedLifetime(staged) {}
      self.finish(store, of: context)
    }
  }

  private func finish(_ store: Store, of context: Int) {
    let (failures, ended, next) = state.withLock { state in
      guard !state.isOver, context == state.context else { return ([DatabaseError](), [Reading](), Next.nothing) }
      var ended: [Reading] = []
      for number in state.readings.keys where number < state.shown ?? 0 {
        if let reading = state.readings.removeValue(forKey: number) { ended.append(reading) }
      }
      guard let shown = state.shown, let reading = state.readings[shown] else { return ([], ended, .attaching) }
      state.readings[shown]?.failures = []
      return (reading.failures, ended, reading.isOpen ? .nothing : .retrying(state.pauses.next() ?? .seconds(5), shown))
    }
    for reading in ended { reading.subscription?.cancel() }
    for failure in failures { health.failures.send(failure) }
    switch next {
    case .nothing: break
    case .attaching: attach(store, of: context)
    case .retrying(let pause, let reading):
      DispatchQueue.global(qos: .userInitiated).async(after: pause) { [weak self] in
        self?.retry(store, of: context, after: reading)
      }
    }
  }

  /// The step that follows the publication of a context.
  private enum Next {
    case nothing
    /// The context could not be read before.
    case attaching
    /// The database cannot be opened now.
    case retrying(Duration, Int)
  }

  func discard(_ reading: Int) {
    state.replace { $0.readings.removeValue(forKey: reading)?.subscription }
  }

  private func retry(_ store: Store, of context: Int, after reading: Int) {
    if state.withLock({ !$0.isOver && $0.shown == reading }) { attach(store, of: context) }
  }

  // MARK: Events

  private func receive(_ event: ContextReadEvent<Element>, of reading: Int) {
    var failure: DatabaseError?
    var staged: [() -> Void] = []
    state.withLock { state in
      guard state.shown == reading else { return state.readings[reading]?.note(event) ?? () }
      switch event {
      case .value(let value): staged.append(values.stage(value).send)
      case .failure(let error): failure = error
      case .status(let status): if health.status.value != status { staged.append(health.status.stage(status).send) }
      }
    }
    for send in staged { send() }
    if let failure { health.failures.send(failure) }
  }
}
