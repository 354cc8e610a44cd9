import Signals
import TestSupport
@testable import Tweaks

/// One provider and one manager's index, used by many threads that a random program plays in turns.
///
/// Values are increasing stamps, so that a value that goes back is detected. The first two tweaks are always written as
/// a pair. The others are also written alone, and changed without the manager.
struct IndexWorld {
  private static let ids = ["a", "b", "c", "d", "e"].map { TweakID(feature: "f", variable: $0) }
  private static let pair = Set(ids[..<2])
  private static let singles = Array(ids[2...])

  /// A thread and its remaining steps.
  private struct Actor {
    enum Step {
      case read([TweakQuestion])
      case change(TweakID)
      case update(TweakUpdate)
      case begin(Set<TweakID>)
      case apply(isFailing: Bool)
      case end
      case ask
    }

    var steps: [Step]
    var isWriting = false
    var ids: Set<TweakID> = []
    var written: [TweakID: Int] = [:]
    var changed: TweakUpdate?
    var pass: TweakIndex.Pass?

    /// Begins the pass, also once more if newer answers have been stored.
    var start: (@Sendable (inout TweakIndex) -> TweakIndex.Pass)?
    var answers: [TweakResolution?] = []
  }

  private var chance: Chance
  private let isFollowed: Bool
  private var index = TweakIndex()
  private var provider: [TweakID: Int]
  private var stamp = 0

  private var actors: [Actor] = []
  private var shown: [TweakQuestion: TweakResolution] = [:]
  private var followed: [TweakID: TweakValue] = [:]
  private var versions = 0
  private var outer: [TweakID: Int] = [:]
  private var everRead: Set<TweakQuestion> = []
  private var everChanged: Set<TweakID> = []
  private var log: [String] = []
  private(set) var breaches: [String] = []

  init(seed: UInt64) {
    chance = Chance(seed: seed)
    isFollowed = chance.once(in: 2)
    provider = Dictionary(uniqueKeysWithValues: Self.ids.map { ($0, 0) })
  }

  /// Plays the program to its end.
  mutating func run() {
    for _ in 0..<(10 + chance.number(below: 40)) {
      if actors.count < 5, chance.once(in: 3) { actors.append(makeActor()) }
      if !actors.isEmpty { play(chance.number(below: actors.count)) }
      if !breaches.isEmpty { return }
    }
    while !actors.isEmpty, breaches.isEmpty { play(chance.number(below: actors.count)) }
    checkEnd()
    if !breaches.isEmpty { breaches.append(log.suffix(60).joined(separator: "\n")) }
  }

  private mutating func makeActor() -> Actor {
    let single = Self.singles[chance.number(below: Self.singles.count)]
    switch chance.number(below: 5) {
    case 0:
      let all = Self.ids.map { TweakQuestion.tweak($0) } + [.feature("f")]
      return Actor(steps: [.read(Array(all.shuffled(using: &chance).prefix(1 + chance.number(below: 4)))), .ask])
    case 1: return Actor(steps: [.change(single), .update(chance.once(in: 3) ? .everything : .tweaks([single])), .ask])
    case 2: return writer(of: [single])
    case 3: return writer(of: chance.once(in: 2) ? Self.pair : Self.pair.union([single]))
    default: return writer(of: Set(Self.singles.shuffled(using: &chance).prefix(2)))
    }
  }

  private mutating func writer(of ids: Set<TweakID>) -> Actor {
    let isFailing = ids.isDisjoint(with: Self.pair) && chance.once(in: 4)
    var steps: [Actor.Step] = [.begin(ids), .apply(isFailing: isFailing)]
    // The updates that providers send during the write: none, one or several.
    for _ in 0..<chance.number(below: 3) { steps += [.update(chance.once(in: 4) ? .everything : .tweaks(ids)), .ask] }
    return Actor(steps: steps + [.end, .ask], ids: ids)
  }

  // MARK: Steps

  private var known: [TweakID]? { isFollowed ? Self.ids : nil }

  private mutating func play(_ index: Int) {
    var actor = actors[index]
    switch actor.steps[0] {
    case .read(let questions):
      everRead.formUnion(questions)
      begin(&actor) { $0.begin(reading: questions) }
    case .change(let id):
      set(id)
      actor.written = [id: stamp]
    case .update(let update): begin(&actor, update)
    case .begin(let ids):
      actor.isWriting = true
      if ids.count > 1 { self.index.hold(ids) }
    case .apply(let isFailing):
      stamp += 1
      let ids = isFailing ? Set(actor.ids.prefix(chance.number(below: 2))) : actor.ids
      for id in ids { set(id, to: stamp) }
      actor.written = Dictionary(uniqueKeysWithValues: ids.map { ($0, stamp) })
      actor.changed = isFailing ? nil : .tweaks(ids)
    case .end:
      let update = actor.changed ?? .tweaks(actor.ids)
      if actor.ids.count > 1 { self.index.note(update) }
      begin(&actor, update, endsWrite: actor.ids.count > 1)
    case .ask:
      if ask(&actor) {
        actors[index] = actor
        return
      }
    }
    log.append("\(index) \(actor.steps[0]) \(actor.ids.map(\.variable).sorted())")
    actor.steps.removeFirst()
    if actor.steps.isEmpty {
      actors.remove(at: index)
      if !actor.written.isEmpty { checkSeen(actor.written) }
    } else {
      actors[index] = actor
    }
    check()
  }

  private mutating func begin(_ actor: inout Actor, _ update: TweakUpdate, endsWrite: Bool = false) {
    let known = known
    begin(&actor) { $0.begin(update, following: known, endsWrite: endsWrite) }
  }

  private mutating func begin(_ actor: inout Actor, _ start: @escaping @Sendable (inout TweakIndex) -> TweakIndex.Pass)
  {
    actor.start = start
    actor.pass = start(&index)
  }

  private mutating func set(_ id: TweakID, to value: Int? = nil) {
    if value == nil { stamp += 1 }
    provider[id] = value ?? stamp
    everChanged.insert(id)
  }

  private func answer(to question: TweakQuestion) -> TweakResolution {
    switch question {
    case .tweak(let id):
      let value = TweakValue.int(provider[id] ?? -1)
      return TweakResolution(result: .success(Tweak(feature: id.feature, variable: id.variable, value: value)))
    case .feature:
      let sum = Self.singles.reduce(0) { $0 + (provider[$1] ?? 0) }
      return TweakResolution(result: .success(Tweak(feature: "f", variable: "", value: .int(sum))))
    }
  }

  /// Asks one question, or passes on the answers after the last one.
  ///
  /// - Returns: `true` if there are more questions.
  private mutating func ask(_ actor: inout Actor) -> Bool {
    guard let pass = actor.pass else { return false }
    if actor.answers.count < pass.questions.count {
      actor.answers.append(answer(to: pass.questions[actor.answers.count]))
      return true
    }
    let answers = exchange(&actor.answers, with: [])
    guard let outcome = index.store(answers, of: pass) else {
      actor.pass = actor.start?(&index)
      return true
    }
    actor.pass = nil
    if outcome.missed != .nothing { begin(&actor, outcome.missed) }
    log.append("\(pass.questions.count) answers stored \(outcome.stored.map { "\($0.resolution.result)" })")
    for (question, resolution) in outcome.stored {
      if let old = shown[question]?.tweak?.intValue, old > resolution.tweak?.intValue ?? -1 {
        breaches.append("\(question) went back")
      }
      shown[question] = resolution
    }
    for change in outcome.changes {
      if let last = followed[change.id], last != change.old { breaches.append("a change is missing before \(change)") }
      followed[change.id] = change.new
    }
    if !outcome.changes.isEmpty { versions += 1 }
    if let update = pass.update { passOn(update) }
    return actor.pass != nil
  }

  /// Updates the outer manager, of which this one is a provider.
  private mutating func passOn(_ update: TweakUpdate) {
    let ids = if case .tweaks(let ids) = update { ids } else { Set(Self.ids) }
    for id in ids { outer[id] = provider[id] }
  }

  // MARK: Laws

  private mutating func check() {
    let halves = Self.pair.compactMap { index[.tweak($0)]?.tweak?.value }
    if Set(halves).count > 1 { breaches.append("a part of a write is shown: \(halves)") }
    for (question, resolution) in shown where index[question] != resolution {
      breaches.append("\(question) was not told")
    }
    if index.version != versions { breaches.append("the version is \(index.version) after \(versions) changes") }
  }

  /// After a writer returns, its tweaks have its values or newer ones, unless another write holds them back.
  private mutating func checkSeen(_ written: [TweakID: Int]) {
    let open = actors.filter(\.isWriting).reduce(into: Set<TweakID>()) { $0.formUnion($1.ids) }
    // A tweak left to an open write is published together with all tweaks of that write.
    guard open.isEmpty else { return }
    for (id, stamp) in written {
      if let value = index[.tweak(id)]?.tweak?.intValue, value < stamp {
        breaches.append("\(id) is \(value) after \(stamp)")
      }
    }
  }

  private mutating func checkEnd() {
    guard breaches.isEmpty else { return }
    for question in everRead.union(shown.keys) where index[question] != answer(to: question) {
      breaches.append("\(question) is \(String(describing: index[question])) in the end")
    }
    for id in everChanged {
      if outer[id] != provider[id] { breaches.append("\(id) is not passed on") }
      if isFollowed, followed[id] != nil, followed[id] != provider[id].map(TweakValue.int) {
        breaches.append("the last change of \(id) is not sent")
      }
      if isFollowed, index[.tweak(id)] == nil { breaches.append("\(id) is not followed") }
    }
  }
}
