import Dispatch
import FileSignals
import Foundation
import Signals

/// An engine that runs a ``RemoteMachine``: it passes it one event after another and performs the effects.
final class RemoteEngine: Sendable {
  /// The parts of the outside world.
  struct Parts: Sendable {
    let fetch: TweakFetch
    let stream: (@Sendable (TweakRequest) -> AnySignal<TweakPatch, any Error>)?
    let decode: @Sendable (Data) throws -> [Tweak]
    let time: TweakTime

    /// A closure that returns a random number from 0 to 1.
    var chance: @Sendable () -> Double = { Double.random(in: 0...1) }
  }

  typealias Reply = @Sendable (TweakRequestFailure?) -> Void

  let table: MutableProperty<TweakTable>
  let status: MutableProperty<RemoteTweakStatus>
  let context: MutableProperty<TweakContext>

  /// A Boolean value that indicates whether nothing more is expected soon, after all observers have been notified.
  private let isSettled = MutableProperty(false)

  private struct State {
    var machine: RemoteMachine
    var replies: [RemoteEvent.Call: Reply] = [:]
    /// The number of events that have been handled, and the number after which ``isSettled`` was last set.
    var handledCount = 0
    var settledCount = 0
    var lastCall = 0
    var alarm: (any WallAlarm)?
    var requests: [Int: Task<Void, Never>] = [:]
    var stream: SignalSubscription?
    /// The turn among the processes that share the cache, and the subscription to what they store.
    var claim: FetchClaim?
    var following: SignalSubscription?
  }

  private let name: String
  private let bootstrap: [Tweak]
  private let parts: Parts
  private let policy: RemoteTweakPolicy
  private let state: Guarded<State>
  private let events = Outbox<RemoteEvent>()
  private let requestFaults: TweakFaults
  private let cacheFaults: TweakFaults

  private let store: CacheStore?
  private let key = CacheKey.random()

  /// The queue of all writes to the cache, which may wait for the disk.
  private let writes = DispatchQueue(label: "org.signals.tweak-cache", qos: .utility)

  init(
    name: String, bootstrap: [Tweak], context: TweakContext, cache: TweakCache?, policy: RemoteTweakPolicy,
    parts: Parts
  ) {
    self.name = name
    requestFaults = TweakFaults(of: "RemoteTweakProvider", name)
    cacheFaults = TweakFaults(of: "RemoteTweakProvider", name)
    self.bootstrap = bootstrap
    self.parts = parts
    self.policy = policy
    store = cache.map { [cacheFaults] in CacheStore($0, provider: name, faults: cacheFaults) }
    self.context = MutableProperty(context)
    let machine = RemoteMachine(
      policy: policy, user: RemoteUser(context: context), hasStream: parts.stream != nil,
      hasBootstrap: !bootstrap.isEmpty, isShared: cache?.sharesFetches ?? false)
    let status = MutableProperty(machine.status)
    self.status = status
    table = MutableProperty(
      TweakTable([:], check: { tweak throws(TweakError) in try tweak.shown(in: status.value, name) }))
    table.modify { $0.replace(with: bootstrap.map { $0.named(name) }) }
    state = Guarded(State(machine: machine))
  }

  func start(isOffline: Bool) {
    let alarm = parts.time.wall.alarm { [weak self] in self?.submit(.wake) }
    let (user, content) = load(context.value)
    state.withLock { state in
      state.alarm = alarm
      state.machine.user = user
      state.machine.isOffline = isOffline
    }
    submit(.started(content, notBefore: store?.notBefore))
  }

  func stop() {
    let old = state.withLock { state in
      defer { (state.alarm, state.stream, state.requests, state.following) = (nil, nil, [:], nil) }
      return (state.alarm, state.stream, state.requests, state.following)
    }
    old.0?.stop()
    old.1?.cancel()
    for request in old.2.values { request.cancel() }
    old.3?.cancel()
  }

  var isOffline: Bool { state.withLock { $0.machine.isOffline } }

  var failures: AnySignal<TweakError, Never> {
    requestFaults.signal.merge(with: cacheFaults.signal).eraseToAnySignal()
  }

  /// Returns the user of a context, and the user's cached values.
  func load(_ context: TweakContext) -> (RemoteUser, RemoteContent?) {
    guard let store else {
      let user = CacheKey.user(context, key: key, environment: "", identityAttributes: policy.identityAttributes)
      return (user, nil)
    }
    let user = store.user(context, identityAttributes: policy.identityAttributes)
    return (user, store.load(user.entry, decode: parts.decode))
  }

  // MARK: Events

  func submit(_ event: RemoteEvent) {
    events.add(event)
    var turn = Turn()
    if events.deliver({ handle($0, &turn) }) { resumeCallers(after: turn) }
  }

  /// The results of one turn, which belong to the thread that had it.
  private struct Turn {
    /// The answers to calls.
    var answers: [@Sendable () -> Void] = []
    /// The number of the last event, and whether nothing more was expected soon after it.
    var last: (number: Int, isSettled: Bool)?
  }

  /// Resumes the callers that have an answer, and those that wait until nothing more is expected soon.
  ///
  /// This follows the turn, and no other thread resumes them during it. So the next event of a resumed caller does not
  /// find the turn taken, and is handled at once.
  private func resumeCallers(after turn: Turn) {
    let answers = turn.answers
    if store == nil {
      for answer in answers { answer() }
    } else if !answers.isEmpty {
      // A caller may end the process next, so the answer is stored first.
      writes.async { for answer in answers { answer() } }
    }
    guard let last = turn.last else { return }
    isSettled.modify { isSettled in
      // The thread of an earlier turn may come later.
      let isNewest = state.withLock { state in
        guard last.number > state.settledCount else { return false }
        state.settledCount = last.number
        return true
      }
      if isNewest { isSettled = last.isSettled }
    }
  }

  /// Submits an event with a call, and waits for its answer.
  func call(_ event: (RemoteEvent.Call) -> RemoteEvent) async throws(TweakError) {
    let failure: TweakRequestFailure? = await withCheckedContinuation { continuation in
      let call = state.withLock { state in
        state.lastCall += 1
        state.replies[state.lastCall] = { continuation.resume(returning: $0) }
        return state.lastCall
      }
      submit(event(call))
    }
    if let failure { throw .requestFailed(provider: name, failure) }
  }

  private func handle(_ event: RemoteEvent, _ turn: inout Turn) {
    let now = RemoteMoment(date: parts.time.now, elapsed: parts.time.wall.elapsed)
    let chance = parts.chance()
    let effects = state.withLock { $0.machine.handle(event, now: now, chance: chance) }
    if case .identify(let user, _, _) = event { context.value = user.context }
    for effect in effects { perform(effect, &turn) }
    let isSettled = publishStatus().isSettled
    turn.last = state.withLock { state in
      state.handledCount += 1
      return (state.handledCount, isSettled)
    }
  }

  // MARK: Effects

  private func perform(_ effect: RemoteEffect, _ turn: inout Turn) {
    switch effect {
    case .send(let request, let flight): send(request, flight)
    case .claim(let entry): claim(entry)
    case .endClaim: writes.async { [self] in state.replace { $0.claim = nil } }
    case .follow(let entry): follow(entry)
    case .cancel(let flight): state.withLock { $0.requests.removeValue(forKey: flight) }?.cancel()
    case .show(let tweaks): show(tweaks)
    case .store(let content, let entry):
      if let store { writes.async { store.store(content, entry) } }
    case .postpone(let date):
      if let store { writes.async { store.store(notBefore: date) } }
    case .wake(let time): setAlarm(time)
    case .answer(let call, let failure):
      if let reply = state.withLock({ $0.replies.removeValue(forKey: call) }) {
        turn.answers.append { reply(failure) }
      }
    case .report(let failure): requestFaults.report(.requestFailed(provider: name, failure))
    case .recovered: requestFaults.removeAll()
    case .connect(let request, let number): connect(request, number)
    case .disconnect: exchange(\.stream, with: nil)
    }
  }

  private func show(_ tweaks: [Tweak]?) {
    var table = table.value
    table.replace(with: (tweaks ?? bootstrap).map { $0.named(name) })
    let staged = self.table.stage(table)
    // The status is published before the changes are sent.
    publishStatus()
    staged.send()
  }

  @discardableResult
  private func publishStatus() -> RemoteTweakStatus {
    let new = state.withLock { $0.machine.status }
    if status.value != new { status.value = new }
    return new
  }

  private func setAlarm(_ time: Duration?) {
    let alarm = state.withLock { $0.alarm }
    if let time { alarm?.set(after: time - parts.time.wall.elapsed) } else { alarm?.unset() }
  }

  // MARK: Requests

  private func send(_ request: TweakRequest, _ flight: Int) {
    let parts = parts, limit = policy.maximumBodySize
    let task = Task { [weak self] in
      let (result, retryAfter) = await parts.answer(to: request, limit: limit)
      guard let self, !Task.isCancelled else { return }
      state.replace { $0.requests.removeValue(forKey: flight) }
      submit(.answered(flight: flight, result, retryAfter: retryAfter))
    }
    // A request that has been answered already leaves a task that has ended, until the provider is released.
    state.withLock { $0.requests[flight] = task }
  }

  // MARK: Other processes

  private func claim(_ entry: String) {
    guard let store else { return }
    writes.async { [weak self, parts] in
      guard let self else { return }
      guard state.withLock({ $0.machine.sharing.claim == .pending }) else {
        // The provider is offline by now, or has another user, and the directory may be gone.
        return submit(.claimed(isGranted: false, nil, notBefore: nil))
      }
      let claim = store.claim(entry)
      let content = store.load(entry, isUse: false, decode: parts.decode)
      if let claim { state.replace { $0.claim = claim } }
      submit(.claimed(isGranted: claim != nil, content, notBefore: store.notBefore))
    }
  }

  private func follow(_ entry: String) {
    guard let store else { return }
    let new = store.changes(of: entry)?.sink { [weak self] _ in self?.takeStored(entry) }
    exchange(\.following, with: new)
    // No change announces the values that were stored between the read of the cache and the beginning of the watch.
    takeStored(entry)
  }

  /// Reads the values that this or another process has stored.
  private func takeStored(_ entry: String) {
    guard let store else { return }
    writes.async { [weak self, parts] in
      guard let content = store.load(entry, isUse: false, decode: parts.decode) else { return }
      self?.submit(.followed(content, entry: entry))
    }
  }

  // MARK: Stream

  private func connect(_ request: TweakRequest, _ number: Int) {
    guard let stream = parts.stream else { return }
    exchange(
      \.stream,
      with: stream(request).sink(
        receiveCompletion: { [weak self] in self?.streamEnded($0, number) },
        receiveValue: { [weak self] in self?.submit(.patched($0, stream: number)) }
      ))
  }

  private func streamEnded(_ completion: SignalCompletion<any Error>, _ number: Int) {
    var retryAfter: Duration?
    if case .failure(let error as TweakRequestFailure) = completion {
      switch error {
      // An interruption is usual, and the next connection mends it.
      case .unreachable: break
      case .status(let status, let pause):
        retryAfter = pause
        // The same status with another time to wait is the same failure.
        requestFaults.report(.requestFailed(provider: name, .status(status)))
      default: requestFaults.report(.requestFailed(provider: name, error))
      }
    }
    submit(.streamEnded(stream: number, retryAfter: retryAfter))
  }

  /// Keeps a subscription in the place of another one, which is cancelled.
  private func exchange(
    _ place: any WritableKeyPath<State, SignalSubscription?> & Sendable, with new: SignalSubscription?
  ) {
    let old = state.withLock { state in
      defer { state[keyPath: place] = new }
      return state[keyPath: place]
    }
    old?.cancel()
  }

  // MARK: Waiting

  /// Waits until nothing more is expected soon, but not longer than a limit.
  func settled(within limit: Duration) async -> RemoteTweakOrigin {
    let ended = MutableProperty(false)
    let alarm = parts.time.wall.alarm { ended.value = true }
    alarm.set(after: limit)
    await withTaskCancellationHandler {
      for await isOver in isSettled.combineLatest(ended).map({ $0 || $1 }).values where isOver { break }
    } onCancel: {
      ended.value = true
    }
    alarm.stop()
    return status.value.origin
  }
}

extension Tweak {
  /// The tweak with a name of its provider, if it has none.
  fileprivate func named(_ source: String) -> Tweak {
    var tweak = self
    if tweak.source == nil { tweak.source = source }
    return tweak
  }

  /// The tweak with the reason that follows from the state of its provider.
  fileprivate func shown(in status: RemoteTweakStatus, _ provider: String) throws(TweakError) -> Tweak {
    if reason == .disabled { throw .disabled(id, provider: provider) }
    guard status.origin == .cache, reason == nil else { return self }
    var tweak = self
    tweak.reason = status.state == .stale ? .stale : .cached
    return tweak
  }
}

extension RemoteEngine.Parts {
  /// Asks the server, and decodes its answer.
  fileprivate func answer(
    to request: TweakRequest, limit: Int
  ) async -> (Result<RemoteAnswer, TweakRequestFailure>, retryAfter: Duration?) {
    let answer: TweakAnswer
    do {
      answer = try await fetch(request)
    } catch TweakRequestFailure.status(let status, let retryAfter) {
      return (.failure(.status(status)), retryAfter)
    } catch let failure as TweakRequestFailure {
      return (.failure(failure), nil)
    } catch {
      return (.failure(.unreachable(reason: "\(error)")), nil)
    }
    switch answer {
    case .notModified: return (.success(.notModified), nil)
    case .tweaks(let tweaks, let etag, let version):
      return (.success(.content(RemoteContent(tweaks: tweaks, etag: etag, version: version))), nil)
    case .body(let body, let etag, let version):
      if body.count > limit { return (.failure(.tooLarge(size: body.count, limit: limit)), nil) }
      do {
        let tweaks = try decode(body)
        return (.success(.content(RemoteContent(tweaks: tweaks, body: body, etag: etag, version: version))), nil)
      } catch {
        return (.failure(.undecodable(reason: "\(error)")), nil)
      }
    }
  }
}
