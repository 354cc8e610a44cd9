import Signals
import TestSupport
import Testing
@testable import Tweaks

/// ``runRandomPrograms(seconds:repetitions:until:_:)`` explains how to repeat one program, or run many.
@Suite("The state of a manager")
struct StateTests {
  @Test(.patient)
  func `no order of reads, changes and writes shows a partial write, goes back or loses a change`() async {
    await runRandomPrograms(seconds: 1, repetitions: 1) { seed in
      var world = StateWorld(seed: seed)
      world.run()
      #expect(world.breaches.isEmpty, "SIGNALS_SEED=\(seed): \(world.breaches.joined(separator: "\n"))")
      return world.breaches.isEmpty
    }
  }

  private let a = TweakID(feature: "f", variable: "a")
  private let b = TweakID(feature: "f", variable: "b")

  private func value(_ id: TweakID, _ value: Int) -> TweakResolution {
    TweakResolution(result: .success(Tweak(feature: id.feature, variable: id.variable, value: .int(value))))
  }

  @Test
  func `an update of a tweak during its write is left to the writer, which queries once`() {
    var state = TweakState()
    _ = state.take([value(a, 0)], to: state.read([.tweak(a)]))
    let write = state.beginWrite([a])
    let echo = state.update(.tweaks([a]), following: nil)
    #expect(echo.isEmpty)
    let inquiry = state.endWrite(write, changed: .nothing, following: nil)
    #expect(inquiry.questions == [.tweak(a)])
    let outcome = state.take([value(a, 1)], to: inquiry)
    #expect(outcome.changes.map(\.new) == [1])
    #expect(outcome.update == .tweaks([a]))
    #expect(outcome.next == nil)
    #expect(state.version == 1)
  }

  @Test
  func `a write that changes nothing queries nothing`() {
    var state = TweakState()
    _ = state.take([value(a, 0)], to: state.read([.tweak(a)]))
    let inquiry = state.endWrite(state.beginWrite([a]), changed: .nothing, following: nil)
    #expect(inquiry.questions.isEmpty)
    #expect(state.take([], to: inquiry) == TweakState.Outcome())
    // The write is over.
    #expect(state.update(.tweaks([a]), following: nil).questions == [.tweak(a)])
  }

  @Test
  func `when two writes overlap, the last to end publishes both`() {
    var state = TweakState()
    _ = state.take([value(a, 0), value(b, 0)], to: state.read([.tweak(a), .tweak(b)]))
    let first = state.beginWrite([a, b])
    let second = state.beginWrite([a, b])
    let early = state.endWrite(first, changed: .tweaks([a, b]), following: nil)
    #expect(state.take([value(a, 1), value(b, 2)], to: early) == TweakState.Outcome())
    let late = state.endWrite(second, changed: .tweaks([a, b]), following: nil)
    let outcome = state.take([value(a, 2), value(b, 2)], to: late)
    #expect(outcome.changes.map(\.new) == [2, 2])
    #expect(state.version == 1)
  }

  @Test
  func `an answer requested before a stored one is dropped`() {
    var state = TweakState()
    let slow = state.read([.tweak(a)])
    let update = state.update(.tweaks([a]), following: nil)
    _ = state.take([value(a, 2)], to: update)
    #expect(state.take([value(a, 1)], to: slow).stored.isEmpty)
    #expect(state[.tweak(a)] == value(a, 2))
  }

  @Test
  func `a question is repeated if an older inquiry was answered in between`() {
    var state = TweakState()
    _ = state.take([value(a, 0)], to: state.read([.tweak(a)]))
    let older = state.update(.tweaks([a]), following: nil)
    let newer = state.update(.tweaks([a]), following: nil)
    _ = state.take([value(a, 2)], to: older)
    let outcome = state.take([value(a, 1)], to: newer)
    #expect(outcome.stored.isEmpty)
    #expect(outcome.next?.questions == [.tweak(a)])
    #expect(outcome.next?.update == .tweaks([a]))
  }
}

@Suite("Resolving the answers of providers")
struct ResolverTests {
  private let id = TweakID(feature: "f", variable: "v")

  private func answer(_ chance: inout Chance, _ number: Int) -> TweakResolver.Answer {
    switch chance.number(below: 4) {
    case 0: return .absent
    case 1: return .failure(.unavailable(id, provider: "p\(number)", reason: ""))
    default:
      func text(_ name: String) -> String? { chance.once(in: 2) ? "\(name)\(number)" : nil }
      return .tweak(
        Tweak(
          feature: "f", variable: "v", value: .int(number), title: text("T"), details: text("D"), group: text("G"),
          source: "p\(number)"))
    }
  }

  /// The rules, as the documentation states them.
  private func reference(_ answers: [TweakResolver.Answer], _ mismatch: TweakMismatch) -> TweakResolution {
    let tweaks = answers.compactMap { answer in if case .tweak(let tweak) = answer { tweak } else { nil } }
    let first = answers.first { answer in
      switch answer {
      case .absent: false
      case .failure: mismatch == .strict
      case .tweak: true
      }
    }
    switch first {
    case .failure(let error): return TweakResolution(result: .failure(error))
    case .tweak(var tweak):
      tweak.title = tweaks.lazy.compactMap(\.title).first
      tweak.details = tweaks.lazy.compactMap(\.details).first
      tweak.group = tweaks.lazy.compactMap(\.group).first
      let alternatives = mismatch == .strict ? [] : Array(tweaks.dropFirst())
      return TweakResolution(result: .success(tweak), alternatives: alternatives)
    case .absent, nil:
      let errors = answers.compactMap { answer in if case .failure(let error) = answer { error } else { nil } }
      return TweakResolution(result: .failure(errors.first ?? .notFound(id)))
    }
  }

  @Test(.patient)
  func `random answers are resolved as documented, and no more are taken than needed`() async {
    await runRandomPrograms(seconds: 0.3, repetitions: 1) { seed in
      var chance = Chance(seed: seed)
      let mismatch = chance.once(in: 2) ? TweakMismatch.strict : .fallThrough
      let answers = (0..<chance.number(below: 6)).map { answer(&chance, $0) }
      var resolver = TweakResolver(id, mismatch: mismatch)
      for answer in answers where !resolver.isComplete { resolver.take(answer) }
      let isRight = resolver.resolution == reference(answers, mismatch)
      #expect(isRight, "SIGNALS_SEED=\(seed): \(answers) became \(resolver.resolution)")
      return isRight
    }
  }
}
