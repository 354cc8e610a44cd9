import Signals
import TestSupport
import Testing
@testable import Tweaks

/// ``runRandomPrograms(seconds:repetitions:until:_:)`` explains how to repeat one program, or run many.
@Suite("The index of a manager")
struct IndexTests {
  @Test(.patient)
  func `no order of reads, changes and writes shows a partial write, goes back or loses a change`() async {
    await runRandomPrograms(seconds: 1, repetitions: 1) { seed in
      var world = IndexWorld(seed: seed)
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

  private func index(of ids: [TweakID]) -> TweakIndex {
    var index = TweakIndex()
    _ = index.store(ids.map { value($0, 0) }, of: index.begin(reading: ids.map { .tweak($0) }))
    return index
  }

  @Test
  func `an update of a tweak during its write is left to the writer, which queries once`() throws {
    var index = index(of: [a, b])
    index.hold([a, b])
    let echo = index.begin(.tweaks([a, b]), following: nil)
    #expect(echo.questions.isEmpty)
    let pass = index.begin(.nothing, following: nil, endsWrite: true)
    #expect(pass.questions == [.tweak(a), .tweak(b)])
    #expect(pass.update == .tweaks([a, b]))
    let stored = index.store([value(a, 1), value(b, 2)], of: pass)
    let outcome = try #require(stored)
    #expect(outcome.changes.map(\.new) == [1, 2])
    #expect(outcome.missed == .nothing)
    #expect(index.version == 1)
  }

  @Test
  func `a write that changes nothing queries nothing`() throws {
    var index = index(of: [a, b])
    index.hold([a, b])
    let pass = index.begin(.nothing, following: nil, endsWrite: true)
    #expect(pass.questions.isEmpty && pass.update == nil)
    let stored = index.store([], of: pass)
    let outcome = try #require(stored)
    #expect(outcome.stored.isEmpty)
    // The write is over.
    let next = index.begin(.tweaks([a]), following: nil)
    #expect(next.questions == [.tweak(a)])
  }

  @Test
  func `when two writes overlap, the last to end publishes both`() throws {
    var index = index(of: [a, b])
    index.hold([a, b])
    index.hold([a, b])
    let early = index.begin(.tweaks([a, b]), following: nil, endsWrite: true)
    let left = index.store([value(a, 1), value(b, 2)], of: early)
    #expect(try #require(left).stored.isEmpty)
    let late = index.begin(.tweaks([a, b]), following: nil, endsWrite: true)
    let stored = index.store([value(a, 2), value(b, 2)], of: late)
    let outcome = try #require(stored)
    #expect(outcome.changes.map(\.new) == [2, 2])
    #expect(index.version == 1)
  }

  @Test
  func `an answer requested before a stored one is dropped`() {
    var index = TweakIndex()
    let slow = index.begin(reading: [.tweak(a)])
    let update = index.begin(.tweaks([a]), following: nil)
    let (new, old) = (index.store([value(a, 2)], of: update), index.store([value(a, 1)], of: slow))
    #expect(new != nil && old == nil)
    #expect(index[.tweak(a)] == value(a, 2))
    let again = index.begin(reading: [.tweak(a)])
    #expect(again.questions.isEmpty)
  }

  @Test
  func `a question is repeated if an older pass was answered in between`() {
    var index = index(of: [a])
    let older = index.begin(.tweaks([a]), following: nil)
    let newer = index.begin(.tweaks([a]), following: nil)
    let (first, second) = (index.store([value(a, 2)], of: older), index.store([value(a, 1)], of: newer))
    #expect(first != nil && second == nil)
    #expect(index[.tweak(a)] == value(a, 2))
  }

  @Test
  func `a tweak that is first read during an update is asked for once more`() throws {
    var index = TweakIndex()
    let update = index.begin(.tweaks([a]), following: nil)
    let read = index.begin(reading: [.tweak(a)])
    _ = index.store([value(a, 0)], of: read)
    let outcome = index.store([], of: update)
    #expect(try #require(outcome).missed == .tweaks([a]))
  }
}

@Suite("Resolving the answers of providers")
struct ResolutionTests {
  private let id = TweakID(feature: "f", variable: "v")

  private func answer(_ chance: inout Chance, _ number: Int) -> TweakResolution.Answer {
    switch chance.number(below: 4) {
    case 0: return .success(nil)
    case 1: return .failure(.unavailable(id, provider: "p\(number)", reason: ""))
    default:
      func text(_ name: String) -> String? { chance.once(in: 2) ? "\(name)\(number)" : nil }
      return .success(
        Tweak(
          feature: "f", variable: "v", value: .int(number), title: text("T"), details: text("D"), group: text("G"),
          source: "p\(number)"))
    }
  }

  /// The rules, as the documentation states them.
  private func reference(_ answers: [TweakResolution.Answer], _ isStrict: Bool) -> TweakResolution {
    let tweaks = answers.compactMap { answer in if case .success(let tweak) = answer { tweak } else { nil } }
    let first = answers.first { answer in
      switch answer {
      case .success(nil): false
      case .failure: isStrict
      case .success: true
      }
    }
    switch first {
    case .failure(let error): return TweakResolution(result: .failure(error))
    case .success(var tweak?):
      tweak.title = tweaks.lazy.compactMap(\.title).first
      tweak.details = tweaks.lazy.compactMap(\.details).first
      tweak.group = tweaks.lazy.compactMap(\.group).first
      let alternatives = isStrict ? [] : Array(tweaks.dropFirst())
      return TweakResolution(result: .success(tweak), alternatives: alternatives)
    case .success(nil), nil:
      let errors = answers.compactMap { answer in if case .failure(let error) = answer { error } else { nil } }
      return TweakResolution(result: .failure(errors.first ?? .notFound(id)))
    }
  }

  @Test(.patient)
  func `random answers are resolved as documented, and no more are taken than needed`() async {
    await runRandomPrograms(seconds: 0.3, repetitions: 1) { seed in
      var chance = Chance(seed: seed)
      let isStrict = chance.once(in: 2)
      let answers = (0..<chance.number(below: 6)).map { answer(&chance, $0) }
      var resolution = TweakResolution(result: .failure(.notFound(id)))
      for answer in answers where !resolution.isComplete(isStrict) { resolution.take(answer, isStrict) }
      let isRight = resolution == reference(answers, isStrict)
      #expect(isRight, "SIGNALS_SEED=\(seed): \(answers) became \(resolution)")
      return isRight
    }
  }
}
