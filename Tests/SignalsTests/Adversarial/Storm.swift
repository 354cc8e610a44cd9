import Signals
import Synchronization
import TestSupport

/// One random program whose threads attach, cancel, send, end and release, as often and as close together as possible.
///
/// ``World`` judges the order of values. This program judges only lifetimes, completions and overlapping calls, and so
/// it meets far more interleavings.
final class Storm: Sendable {
  private let seed: UInt64
  private let springs: [Box<Spring>]

  /// The tokens that any thread may cancel, replace or release.
  private let tokens = (0..<6).map { _ in Box<SignalSubscription>() }

  /// The number of live objects that must be released in the end.
  let alive = Counted()
  let calls = Counted()
  private let overlaps = Counted()
  private let lateCalls = Counted()

  init(seed: UInt64) {
    self.seed = seed
    var chance = Chance(seed: seed)
    springs = (0..<(1 + chance.number(below: 3))).map { [alive] _ in Box(Spring(&chance, alive)) }
  }

  /// Runs the threads to their end, and returns all breaches of the laws.
  func run() -> [String] {
    var chance = Chance(seed: seed ^ 0xADAD)
    let threads = 2 + chance.number(below: 3)
    let steps = 200 + chance.number(below: 800)
    withPausedThreads(threads, seed: seed) { [seed] number in
      var chance = Chance(seed: seed &* 31 &+ UInt64(number))
      for _ in 0..<steps { self.step(&chance) }
    }
    for spring in springs { spring.value = nil }
    for token in tokens { token.value = nil }
    var breaches: [String] = []
    if overlaps.value > 0 { breaches.append("law 1: \(overlaps.value) overlapping calls") }
    if lateCalls.value > 0 { breaches.append("law 5: \(lateCalls.value) calls after the end") }
    return breaches
  }

  private func step(_ chance: inout Chance) {
    let spring = springs[chance.number(below: springs.count)]
    let token = tokens[chance.number(below: tokens.count)]
    switch chance.number(below: 200) {
    case 0..<70: spring.value?.send(Payload(alive))
    case 70..<100: subscribe(to: spring, &chance)?.cancel()
    case 100..<115: _ = subscribe(to: spring, &chance)
    case 115..<150: token.value = subscribe(to: spring, &chance)
    case 150..<165:
      let subscription = subscribe(to: spring, &chance)
      token.value = subscription
      subscription?.cancel()
    case 165..<185: token.value?.cancel()
    case 185..<195: token.value = nil
    case 195..<198: spring.value?.end()
    default: spring.value = Spring(&chance, alive)
    }
  }

  private func subscribe(to spring: Box<Spring>, _ chance: inout Chance) -> SignalSubscription? {
    let guest = Guest(seed: chance.next(), overlaps: overlaps, lateCalls: lateCalls)
    let payload = Payload(alive)
    return spring.value?.signal.sink(
      receiveCompletion: { [payload] _ in
        guest.enter()
        payload.touch()
        guest.hasEnded = true
        guest.leave()
      },
      receiveValue: { [payload, calls] value in
        guest.enter()
        payload.touch()
        value.touch()
        calls.add(1)
        self.react(&guest.chance)
        guest.leave()
      }
    )
  }

  /// Sends or cancels occasionally from inside a callback.
  private func react(_ chance: inout Chance) {
    switch chance.number(below: 200) {
    case 0: springs[chance.number(below: springs.count)].value?.send(Payload(alive))
    case 1..<4: tokens[chance.number(below: tokens.count)].value?.cancel()
    case 4: tokens[chance.number(below: tokens.count)].value = nil
    default: break
    }
  }
}

/// An atomic number.
final class Counted: Sendable {
  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .relaxed) }

  func add(_ amount: Int) { number.add(amount, ordering: .relaxed) }
}

/// A value that is counted as long as it lives.
private final class Payload: Sendable, Equatable {
  private let alive: Counted

  init(_ alive: Counted) {
    self.alive = alive
    alive.add(1)
  }

  deinit { alive.add(-1) }

  func touch() { alive.add(0) }

  static func == (left: Payload, right: Payload) -> Bool { left === right }
}

/// The state of a subscriber, guarded only by the promise that it is never called concurrently.
private final class Guest: @unchecked Sendable {  // Sound: see above; a thread sanitizer reports a broken promise.
  var chance: Chance
  var hasEnded = false
  private let isInside = Atomic<Bool>(false)
  private let overlaps: Counted
  private let lateCalls: Counted

  init(seed: UInt64, overlaps: Counted, lateCalls: Counted) {
    chance = Chance(seed: seed)
    self.overlaps = overlaps
    self.lateCalls = lateCalls
  }

  func enter() {
    if isInside.exchange(true, ordering: .relaxed) { overlaps.add(1) }
    if hasEnded { lateCalls.add(1) }
  }

  func leave() { isInside.store(false, ordering: .relaxed) }
}

/// A source with an operator; releasing it ends the source.
private final class Spring: Sendable {
  let signal: AnySignal<Payload, Never>
  let send: @Sendable (Payload) -> Void
  let end: @Sendable () -> Void

  init(_ chance: inout Chance, _ alive: Counted) {
    if chance.once(in: 2) {
      let property = MutableProperty(Payload(alive))
      send = { property.value = $0 }
      end = {}
      signal = Self.shape(property, alive, &chance)
    } else {
      let emitter = Emitter<Payload, Never>(replay: chance.once(in: 4) ? 2 : 0)
      send = { emitter.send($0) }
      end = { emitter.finish() }
      signal = Self.shape(emitter, &chance)
    }
  }

  private static func shape(
    _ property: MutableProperty<Payload>, _ alive: Counted, _ chance: inout Chance
  ) -> AnySignal<Payload, Never> {
    let captured = Payload(alive)
    let view: Property<Payload> = property
    switch chance.number(below: 6) {
    case 0: return view.eraseToAnySignal()
    case 1: return view.changes.eraseToAnySignal()
    case 2:
      return Property.derived(view) { value in
        captured.touch()
        return value
      }.eraseToAnySignal()
    case 3:
      let inner = Property.derived(view) { value in
        captured.touch()
        return value
      }
      let outer = Property.derived(inner, view) { inner, _ in
        captured.touch()
        return inner
      }
      return chance.once(in: 2) ? outer.eraseToAnySignal() : outer.changes.eraseToAnySignal()
    case 4:
      return Property.derived([view, view]) { values in
        captured.touch()
        return values[0]
      }.eraseToAnySignal()
    default: return view.share(replay: 1).eraseToAnySignal()
    }
  }

  private static func shape(_ emitter: Emitter<Payload, Never>, _ chance: inout Chance) -> AnySignal<Payload, Never> {
    switch chance.number(below: 10) {
    case 0..<4: return emitter.eraseToAnySignal()
    case 4: return merge(emitter, emitter).eraseToAnySignal()
    case 5: return emitter.share(replay: 1).eraseToAnySignal()
    case 6: return emitter.combineLatest(emitter).map { $1 }.eraseToAnySignal()
    case 7: return emitter.flatMap { AnySignal<Payload, Never>.just($0) }.eraseToAnySignal()
    case 8: return emitter.map { value in emitter.map { _ in value } }.switchToLatest().eraseToAnySignal()
    default: return emitter.prefix(3).eraseToAnySignal()
    }
  }
}
