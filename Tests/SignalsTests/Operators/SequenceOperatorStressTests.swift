import Signals
import Synchronization
import TestSupport
import Testing

/// Several threads send, end and cancel concurrently, through every operator on the sequence of values.
@Suite("Operators on the sequence of values, under stress", .patient)
struct SequenceOperatorStressTests {
  enum Shape: CaseIterable {
    case prefix, prefixWhile, prefixUntil, dropUntil, first, collect, reduce, append, appendAtOnce, concat, events, all
    case suffix, pairwise, chunked, chunkedBySignal, switchIfEmpty, race, flatMapFirst
    case create, retry, tryMap, shareForever, shareForAWhile

    /// A signal that fails at some values.
    private static func failing(_ source: Emitter<Int, Never>) -> some Signal<Int, Mishap> {
      source.tryMap { value throws(Mishap) in
        if value % 25 == 24 { throw .fire }
        return value
      }
    }

    func signal(of one: Emitter<Int, Never>, and two: Emitter<Int, Never>) -> AnySignal<Int, Never> {
      switch self {
      case .prefix: AnySignal(one.prefix(40))
      case .prefixWhile: AnySignal(one.prefix { $0 < 50 })
      case .prefixUntil: AnySignal(one.prefix(untilOutputFrom: two.filter { $0 == 50 }))
      case .dropUntil: AnySignal(one.drop(untilOutputFrom: two.filter { $0 == 10 }))
      case .first: AnySignal(one.first { $0 == 50 })
      case .collect: AnySignal(one.collect(7).map(\.count))
      case .reduce: AnySignal(one.reduce(0) { $0 &+ $1 })
      case .append: AnySignal(one.append(two))
      case .appendAtOnce: AnySignal(one.prefix(30).append(1...).prefix(60))
      case .concat: AnySignal(Signals.concat(one.prefix(30), two.prefix(30), (1...50).signal, one))
      case .events: AnySignal(one.handleEvents(receiveOutput: { _ in }, receiveCancel: {}))
      case .all:
        AnySignal(one.dropFirst(3).append(two).prefix(untilOutputFrom: two.dropFirst(90)).replaceEmpty(with: 1))
      case .suffix: AnySignal(one.suffix(9))
      case .pairwise: AnySignal(one.pairwise().map { $1 })
      case .chunked: AnySignal(one.chunked { $0 < $1 }.map(\.count))
      case .chunkedBySignal: AnySignal(one.chunked(by: two).map(\.count))
      case .switchIfEmpty: AnySignal(one.filter { $0 > 90 }.switchIfEmpty(two))
      case .race: AnySignal(Signals.race([one, two]))
      case .create:
        .create { sink in
          one.sink(receiveCompletion: { sink.send(completion: $0) }, receiveValue: { sink.send($0) })
        }
      case .retry: AnySignal(Self.failing(one).retry(.constant(.zero, limit: 5)).replaceError(with: 1))
      case .tryMap: AnySignal(Self.failing(one).replaceError(with: 1))
      case .shareForever: AnySignal(one.share(replay: 2, disconnecting: .never))
      case .shareForAWhile: AnySignal(one.share(replay: 2, disconnecting: .after(.seconds(60))))
      case .flatMapFirst: AnySignal(one.flatMapFirst { $0 < 30 ? AnySignal(two.prefix(3)) : .just($0) })
      }
    }
  }

  @Test(arguments: Shape.allCases) func `calls never overlap, the end is the end, and cancel means stop`(shape: Shape) {
    for round in 0..<100 {
      let one = Emitter<Int, Never>()
      let two = Emitter<Int, Never>()
      let inside = Atomic<Int>(0)
      let ends = Atomic<Int>(0)
      let faults = Log<String>()
      let cancelled = Log<ThreadIdentity>()
      let released = Counter()
      let token = Box<SignalSubscription>()
      do {
        let probe = Probe { released.add() }
        let enter: @Sendable () -> Void = {
          probe.touch()
          if inside.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue > 0 { faults.add("overlap") }
          if ends.load(ordering: .acquiring) > 0 { faults.add("after the end") }
          if cancelled.entries.contains(.current) { faults.add("after cancel") }
        }
        token.value = shape.signal(of: one, and: two).sink(
          receiveCompletion: { _ in
            enter()
            ends.wrappingAdd(1, ordering: .acquiringAndReleasing)
            inside.wrappingSubtract(1, ordering: .acquiringAndReleasing)
          },
          receiveValue: { value in
            enter()
            if value == 7 { one.send(value &+ 1) }
            inside.wrappingSubtract(1, ordering: .acquiringAndReleasing)
          }
        )
      }
      withThreads(3) { thread in
        var chance = Chance(seed: UInt64(round * 3 + thread))
        let isCanceller = thread == 2 && round.isMultiple(of: 2)
        let moment = chance.number(below: 60)
        for step in 0..<60 {
          (Bool.random(using: &chance) ? one : two).send(step)
          if step == moment {
            if isCanceller {
              token.value?.cancel()
              cancelled.add(.current)
            } else if thread == 0 {
              one.finish()
            }
          }
        }
        if thread == 1 { two.finish() }
      }
      one.finish()
      two.finish()
      token.value?.cancel()
      let note: Comment = "round \(round)"
      #expect(faults.entries.isEmpty, note)
      #expect(ends.load(ordering: .acquiring) <= 1, note)
      #expect(released.value == 1, note)
      if !round.isMultiple(of: 2) { #expect(ends.load(ordering: .acquiring) == 1, note) }
    }
  }
}
