import Foundation
import Signals
import TestSupport
import Testing
@testable import Tweaks

/// ``runRandomPrograms(seconds:repetitions:until:_:)`` explains how to repeat one program, or run many.
@Suite("Random programs of flags from a server", .serialized)
struct RandomRemoteTests {
  @Test(.patient)
  func `whatever a server, its stream, the network and users do, flags end as the server has them`() async {
    await runRandomPrograms(seconds: 1, repetitions: 1) { seed in
      var world = RemoteWorld(seed: seed)
      world.run()
      #expect(world.breaches.isEmpty, "SIGNALS_SEED=\(seed): \(world.breaches.joined(separator: "\n"))")
      return world.breaches.isEmpty
    }
  }
}

/// A server with a history, and a machine that asks it over a network that delays, loses and reorders.
///
/// Each version of the server changes one of four flags. The value of a flag tells the version and the context for
/// which it was made, so that a mixture of two versions or of two contexts is noticed.
struct RemoteWorld {
  private var chance: Chance
  private var bench: RemoteBench
  private(set) var breaches: [String] = []

  // MARK: The server

  /// The version of each flag, for each version of the server.
  private var history: [[Int]] = [[0, 0, 0, 0]]
  private var version: Int { history.count - 1 }
  private let hasVersions: Bool
  private let canResume: Bool
  private let beginsComplete: Bool
  private var lag = 0

  /// The time when each version was made.
  private var times: [Duration] = [.zero]

  /// The version that a part of the server has that lags behind, for no longer than a server may.
  private var laggingVersion: Int {
    let known = times.lastIndex { $0 < bench.elapsed - RemoteContent.longestLag } ?? 0
    return max(known, version - lag)
  }

  /// The patches of the connection that have not arrived, and its number.
  private var events: [TweakPatch] = []
  private var connection = 0
  private var connectionUser = RemoteBench.anna

  /// The requests that the server has not seen, and its answers that have not arrived.
  private var requests: [(flight: Int, request: TweakRequest, user: RemoteUser)] = []
  private var answers: [(flight: Int, Result<RemoteAnswer, TweakRequestFailure>, retryAfter: Duration?)] = []

  // MARK: Another process with the same cache

  /// The turns that were claimed, and whether this process has the turn, or what the server answers to the other one.
  private var claims: [String] = []
  private var hasTurn = false
  private var otherTurn: (user: RemoteUser, answer: RemoteContent, asked: Duration)?

  // MARK: The app

  /// The entries of the cache, and the writes that are queued.
  private var cache: [String: RemoteContent] = [:]
  private var writes: [(RemoteContent, String)] = []
  private var notBefore: Duration?
  private var calls = 0
  private var handledCount = 0
  private var newestVersion = -1
  private var isRefused = false

  private static let changed = RemoteUser(
    context: TweakContext(targetingKey: "anna", attributes: ["plan": "gold"]), entry: "A", fingerprint: "a2")
  private static let users = [RemoteBench.anna, RemoteBench.ben, changed]

  init(seed: UInt64) {
    var chance = Chance(seed: seed)
    hasVersions = !chance.once(in: 3)
    canResume = chance.once(in: 2)
    let isComplete = chance.once(in: 2)
    beginsComplete = hasVersions && isComplete
    var policy = RemoteTweakPolicy(polling: chance.once(in: 2) ? nil : .seconds(300))
    if chance.once(in: 4) { policy.retry = .constant(.seconds(1), limit: 1) }
    let hasStream = !chance.once(in: 4)
    bench = RemoteBench(policy, hasStream: hasStream, isShared: chance.once(in: 2))
    self.chance = chance
  }

  mutating func run() {
    restart()
    for _ in 0..<60 where breaches.isEmpty { step() }
    if breaches.isEmpty { settle() }
  }

  private mutating func step() {
    bench.chance = Double(chance.number(below: 101)) / 100
    switch chance.number(below: 17) {
    case 0, 1, 2: change()
    case 3, 4: serve()
    case 5, 6: answer()
    case 7, 8: deliver()
    case 9: pass(.seconds([0, 1, 5, 60, 700][chance.number(below: 5)]))
    case 10: write()
    case 11:
      calls += 1
      handle(.refresh(calls), isAsked: true)
    case 12:
      if chance.once(in: 2) {
        handle(.offline(!bench.machine.isOffline))
      } else {
        endStream(retryAfter: chance.once(in: 4) ? .seconds(100) : nil)
      }
    case 13, 14: grant()
    case 15: actElsewhere()
    default:
      if chance.once(in: 4) {
        restart()
      } else if chance.once(in: 2) {
        identify(Self.users[chance.number(below: Self.users.count)])
      } else {
        lag = hasVersions && chance.once(in: 2) ? chance.number(below: 3) : 0
      }
    }
  }

  // MARK: Steps of the server

  private mutating func change() {
    var next = history[version]
    next[chance.number(below: 4)] = version + 1
    let old = history[version]
    history.append(next)
    times.append(bench.elapsed)
    guard bench.machine.stream.isConnected else { return }
    let changed = (0..<4).filter { next[$0] != old[$0] }
    events.append(patch(version, changed))
  }

  private func patch(_ version: Int, _ flags: [Int], isComplete: Bool = false) -> TweakPatch {
    TweakPatch(
      version: version, tweaks: flags.map { tweak($0, version, connectionUser) }, isComplete: isComplete,
      eventID: canResume ? "\(version)" : nil)
  }

  private func tweak(_ flag: Int, _ version: Int, _ user: RemoteUser) -> Tweak {
    Tweak(feature: "f", variable: "v\(flag)", value: .string("\(history[version][flag])\(user.fingerprint)"))
  }

  private func content(_ version: Int, _ user: RemoteUser) -> RemoteContent {
    RemoteContent(
      tweaks: (0..<4).map { tweak($0, version, user) }, body: nil, etag: "\(version)\(user.fingerprint)",
      version: hasVersions ? version : nil)
  }

  /// Lets the server see a request, and answer it from what it knows then.
  private mutating func serve(isHealthy: Bool = false) {
    guard !requests.isEmpty else { return }
    let (flight, request, user) = requests.remove(at: isHealthy ? 0 : chance.number(below: requests.count))
    let answered = content(laggingVersion, user)
    switch isHealthy ? 9 : chance.number(below: 12) {
    case 0: answers.append((flight, .failure(.status(500)), nil))
    case 1: answers.append((flight, .failure(.status(429)), .seconds(600)))
    case 2 where chance.once(in: 3): answers.append((flight, .failure(.status(401)), nil))
    case _ where request.etag == answered.etag: answers.append((flight, .success(.notModified), nil))
    default: answers.append((flight, .success(.content(answered)), nil))
    }
  }

  private mutating func answer() {
    guard !answers.isEmpty else { return }
    let (flight, result, retryAfter) = answers.remove(at: chance.number(below: answers.count))
    guard flight == bench.flight || bench.machine.lateFlights.contains(where: { $0.number == flight }) else { return }
    if let retryAfter { notBefore = bench.elapsed + retryAfter }
    if flight == bench.flight, !bench.machine.isOffline {
      if case .failure(.status(401, _)) = result {
        isRefused = true
      } else if case .success = result {
        isRefused = false
      }
    }
    handle(.answered(flight: flight, result, retryAfter: retryAfter))
  }

  private mutating func deliver() {
    guard !events.isEmpty, bench.machine.stream.isConnected else { return }
    handle(.patched(events.removeFirst(), stream: connection))
  }

  private mutating func endStream(retryAfter: Duration? = nil) {
    guard bench.machine.stream.isConnected else { return }
    events = []
    if let retryAfter { notBefore = bench.elapsed + retryAfter }
    handle(.streamEnded(stream: connection, retryAfter: retryAfter))
  }

  private mutating func connect(_ request: TweakRequest, _ number: Int) {
    connection = number
    connectionUser = bench.machine.user
    events = []
    if let id = request.lastEventID.flatMap({ Int($0) }) {
      for next in (id + 1)..<max(id + 1, version + 1) {
        events.append(patch(next, (0..<4).filter { history[next][$0] != history[next - 1][$0] }))
      }
    } else if beginsComplete {
      events.append(patch(laggingVersion, [0, 1, 2, 3], isComplete: true))
      for next in laggingVersion..<version {
        events.append(patch(next + 1, (0..<4).filter { history[next + 1][$0] != history[next][$0] }))
      }
    }
  }

  // MARK: Steps of the other process

  /// Lets the oldest claim have its result.
  private mutating func grant() {
    guard !claims.isEmpty else { return }
    let entry = claims.removeFirst()
    if otherTurn == nil { hasTurn = true }
    handle(.claimed(isGranted: otherTurn == nil, cache[entry], notBefore: nil))
  }

  /// Lets the other process take the turn if it is free, and otherwise end it, with or without an answer that this
  /// process may notice.
  private mutating func actElsewhere() {
    guard bench.machine.isShared else { return }
    guard let (user, answer, asked) = otherTurn else {
      if hasTurn { return }
      let user = Self.users[chance.number(below: Self.users.count)]
      return otherTurn = (user, content(version, user), bench.elapsed)
    }
    otherTurn = nil
    if chance.once(in: 4) || bench.elapsed - asked > bench.machine.policy.timeout { return }
    var new = answer
    (new.fetched, new.fingerprint) = (bench.date, user.fingerprint)
    guard cache[user.entry]?.outranks(new) != true else { return }
    cache[user.entry] = new
    if chance.once(in: 2) { handle(.followed(new, entry: user.entry)) }
  }

  // MARK: Steps of the app

  /// Lets the machine handle an event, and performs its effects.
  private mutating func handle(_ event: RemoteEvent, isAsked: Bool = false) {
    let wasRefused = isRefused
    if case .identify = event { isRefused = false }
    let next = bench.machine.nextRequest
    let effects = bench.handle(event)
    if case .claimed = event, let next, next > bench.elapsed {
      let isEarly = effects.contains { if case .send = $0 { true } else { false } }
      check(!isEarly, "a request was sent before the end of a pause")
    }
    perform(mayAsk: isAsked || !wasRefused)
  }

  private mutating func perform(mayAsk: Bool) {
    let effects = bench.effects[handledCount...]
    handledCount = bench.effects.count
    for effect in effects {
      switch effect {
      case .send(let request, let flight):
        check(!isWaiting, "a request was sent during Retry-After")
        check(mayAsk, "a request was sent after a refusal")
        check(!bench.machine.isOffline, "a request was sent offline")
        requests.append((flight, request, bench.machine.user))
      case .cancel(let flight):
        requests.removeAll { $0.flight == flight }
        answers.removeAll { $0.flight == flight }
      case .connect(let request, let number):
        check(!isWaiting, "a stream was connected during Retry-After")
        connect(request, number)
      case .store(let content, let entry): writes.append((content, entry))
      case .claim(let entry):
        check(!hasTurn && claims.isEmpty, "a turn was claimed during another one")
        claims.append(entry)
      case .endClaim:
        check(hasTurn, "a turn was ended that this process did not have")
        // What was to be stored comes first.
        while !writes.isEmpty { write() }
        hasTurn = false
      default: break
      }
    }
    // Any other result of a request that was asked for ends the refusal.
    if !bench.machine.isRefused { isRefused = false }
    inspect()
  }

  private var isWaiting: Bool { notBefore.map { $0 > bench.elapsed } ?? false }

  /// Checks that a request closes each gap, that the values are those of one version and one context, and that none is
  /// older than before.
  private mutating func inspect() {
    let machine = bench.machine
    let isAsking = machine.flight != nil || machine.nextRequest != nil || machine.sharing.isAsking
    let isMissing = machine.stream.hasGap || !machine.stream.waiting.isEmpty
    check(isAsking || !isMissing || !machine.stream.isConnected, "nothing asks for the changes that are missing")
    guard hasVersions, let newest = bench.machine.newest, let version = newest.version else { return }
    let user = Self.users.first { $0.fingerprint == newest.fingerprint } ?? bench.machine.user
    let found = Dictionary(uniqueKeysWithValues: newest.tweaks.map { ($0.variable, $0.value) })
    let expected = Dictionary(
      uniqueKeysWithValues: (0..<4).map { tweak($0, version, user) }.map { ($0.variable, $0.value) })
    check(found == expected, "version \(version) of \(newest.fingerprint) is \(found), not \(expected)")
    if newest.fingerprint == bench.machine.user.fingerprint {
      check(version >= newestVersion, "version \(version) replaced version \(newestVersion)")
      newestVersion = version
    }
  }

  private mutating func check(_ isTrue: Bool, _ breach: String) {
    if !isTrue { breaches.append(breach) }
  }

  /// Lets time pass, and rings every alarm that is due.
  private mutating func pass(_ duration: Duration) {
    let end = bench.elapsed + duration
    while let next = bench.machine.nextWake, next <= end, breaches.isEmpty {
      bench.advance(by: max(.zero, next - bench.elapsed))
      perform(mayAsk: !isRefused)
    }
    bench.advance(by: end - bench.elapsed)
    perform(mayAsk: !isRefused)
  }

  private mutating func write() {
    guard !writes.isEmpty else { return }
    let (content, entry) = writes.removeFirst()
    if cache[entry]?.outranks(content) != true { cache[entry] = content }
  }

  private mutating func identify(_ user: RemoteUser) {
    calls += 1
    // The versions of another context begin anew; those of the same one do not.
    if user.fingerprint != bench.machine.user.fingerprint { newestVersion = -1 }
    events = []
    handle(.identify(user, cache[user.entry], calls), isAsked: true)
  }

  /// Ends the process, perhaps before its writes, and begins another one.
  private mutating func restart() {
    if chance.once(in: 2) { while !writes.isEmpty { write() } }
    writes = []
    (requests, answers, events, claims, hasTurn) = ([], [], [], [], false)
    let old = bench
    bench = RemoteBench(
      old.machine.policy, user: Self.users[chance.number(below: Self.users.count)], hasStream: old.machine.hasStream,
      isShared: old.machine.isShared)
    bench.date = old.date
    bench.elapsed = old.elapsed
    handledCount = 0
    newestVersion = -1
    notBefore = nil
    isRefused = false
    handle(.started(cache[bench.machine.user.entry], notBefore: nil))
  }

  // MARK: The end

  /// Lets the server and the network recover, and compares the flags with those of the server.
  private mutating func settle() {
    lag = 0
    otherTurn = nil
    handle(.offline(false))
    pass(.seconds(600))
    calls += 1
    handle(.refresh(calls), isAsked: true)
    exchange()
    // A change that was made while nothing was connected is noticed with the next one, or with the next answer.
    if bench.machine.stream.isConnected {
      change()
    } else {
      calls += 1
      handle(.refresh(calls), isAsked: true)
    }
    exchange()
    guard breaches.isEmpty else { return }
    check(bench.machine.hasStream == bench.machine.stream.isConnected, "the stream is not connected")
    check(bench.state == .ready, "the state is \(bench.state)")
    let expected = Set((0..<4).map { tweak($0, version, bench.machine.user) }.map { "\($0.variable)=\($0.value)" })
    let found = Set((bench.machine.shown?.tweaks ?? []).map { "\($0.variable)=\($0.value)" })
    check(found == expected, "the flags are \(found), not \(expected)")
    let answered = Set(bench.answers.keys)
    check(bench.machine.calls.isEmpty, "calls wait: \(bench.machine.calls), answered: \(answered)")
  }

  /// Exchanges messages for ten minutes without faults.
  private mutating func exchange() {
    for _ in 0..<600 where breaches.isEmpty {
      while !requests.isEmpty { serve(isHealthy: true) }
      while !answers.isEmpty { answer() }
      while !claims.isEmpty { grant() }
      while !events.isEmpty, bench.machine.stream.isConnected { deliver() }
      pass(.seconds(1))
    }
  }
}
