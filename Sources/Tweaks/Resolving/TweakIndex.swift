/// The resolutions of all tweaks and features that have been looked up.
///
/// It is a value type: it calls no other code, and has neither a lock nor a clock. Its owner asks the providers between
/// two calls, with no lock held.
///
/// ```
///   a read, the changed keys of a table, the end of a write ──▶ begin ──▶ the owner asks the providers
///   the providers' answers ──▶ store ──▶ resolutions to show and changes to send, or the owner begins again
/// ```
///
/// - **Order.** The answers of a pass are stored together, and only if no answer to one of its questions has been
///   stored since the pass began. So a value never returns to an older one.
/// - **Writes of several tweaks.** From its beginning until its answers are stored, the tweaks of a write are held:
///   other passes store no answers for them. Of writes at the same time, the last to end stores the results of all.
struct TweakIndex: Sendable {
  /// Questions to all providers, whose answers are stored together.
  struct Pass: Sendable, Equatable {
    /// The questions, in the order in which ``TweakIndex/store(_:of:)`` expects the answers.
    fileprivate(set) var questions: [TweakQuestion]

    /// The tweaks that may have changed, for managers that use this one as a provider, or `nil` for a read.
    fileprivate(set) var update: TweakUpdate?

    fileprivate let time: UInt64
    fileprivate let endsWrite: Bool

    /// A Boolean value that indicates whether the first lookup of a tweak counts as a change.
    fileprivate let isNews: Bool

    /// A Boolean value that indicates whether the questions are asked once more, which is not done without end.
    fileprivate var isRepeat = false
  }

  private struct Entry {
    var resolution: TweakResolution?

    /// The times when the entry was added, and when its resolution was stored.
    let added: UInt64
    var stored: UInt64 = 0
  }

  /// The tweaks of the writes in progress.
  private struct Held {
    var writes = 0
    var ids: Set<TweakID> = []

    /// The tweaks that have changed since, and the time of the last change.
    var changed = TweakUpdate.nothing
    var time: UInt64 = 0
  }

  private var entries: [TweakQuestion: Entry] = [:]

  /// The tweaks and features with an entry, in the order of their first lookups.
  private var tweaks: [TweakID] = []
  private var features: [String] = []
  private var held = Held()

  /// The questions of updates that came while the thread was asking them already, so that it asks them once more.
  private var recalled: Set<TweakQuestion> = []
  private var clock: UInt64 = 0

  /// The time of the last first lookup.
  private var added: UInt64 = 0

  /// The number of changes of values.
  private(set) var version = 0

  /// The resolution of a question, or `nil` if none is stored.
  subscript(_ question: TweakQuestion) -> TweakResolution? { entries[question]?.resolution }

  /// A snapshot of all tweaks that have a value.
  var snapshot: TweakSnapshot {
    var values: [TweakID: Tweak] = [:]
    var alternatives: [TweakID: [Tweak]] = [:]
    values.reserveCapacity(tweaks.count)
    for id in tweaks {
      guard let resolution = entries[.tweak(id)]?.resolution, let tweak = resolution.tweak else { continue }
      values[id] = tweak
      if !resolution.alternatives.isEmpty { alternatives[id] = resolution.alternatives }
    }
    return TweakSnapshot(version: version, tweaks: values, alternatives: alternatives)
  }

  // MARK: Passes

  /// Begins a pass for a read, which omits what is already known.
  mutating func begin(reading questions: [TweakQuestion]) -> Pass {
    begin(questions.filter { entries[$0]?.resolution == nil })
  }

  /// Begins a pass for changes.
  ///
  /// - Parameters:
  ///   - update: The tweaks that may have changed.
  ///   - known: The names of all tweaks that the providers list, or `nil` if no subscriber follows all changes. Only
  ///     `everything` needs them.
  ///   - endsWrite: A Boolean value that indicates whether the changes are those of a held write.
  ///   - isRepeat: A Boolean value that indicates whether the tweaks are those that an earlier pass has missed.
  /// - Returns: The questions to ask now.
  mutating func begin(
    _ update: TweakUpdate, following known: [TweakID]?, endsWrite: Bool = false, isRepeat: Bool = false
  ) -> Pass {
    var update = update
    if endsWrite { update.formUnion(held.changed) }
    var questions: [TweakQuestion] = []
    switch update {
    case .everything:
      let new = (known ?? []).filter { entries[.tweak($0)] == nil }
      questions = (new + tweaks).map { .tweak($0) } + features.map { .feature($0) }
    case .tweaks(let ids):
      // If no subscriber follows all changes, only tweaks that have been looked up matter.
      for id in ids.count == 1 ? Array(ids) : ids.sorted() where known != nil || entries[.tweak(id)] != nil {
        questions.append(.tweak(id))
      }
      if !features.isEmpty {
        for feature in Set(ids.map(\.feature)).sorted() where entries[.feature(feature)] != nil {
          questions.append(.feature(feature))
        }
      }
    }
    if held.writes > 0, !endsWrite {
      note(.tweaks(Set(questions.filter(isHeld).map(\.id))))
      questions.removeAll(where: isHeld)
    }
    var pass = begin(questions, update: update == .nothing ? nil : update, isNews: known != nil, endsWrite: endsWrite)
    pass.isRepeat = isRepeat
    return pass
  }

  private mutating func begin(
    _ questions: [TweakQuestion], update: TweakUpdate? = nil, isNews: Bool = false, endsWrite: Bool = false
  ) -> Pass {
    clock += 1
    // Without subscribers of all changes, the questions of an update have been asked before.
    for question in update == nil || isNews ? questions : [] where entries[question] == nil {
      entries[question] = Entry(added: clock)
      added = clock
      switch question {
      case .tweak(let id): tweaks.append(id)
      case .feature(let feature): features.append(feature)
      }
    }
    return Pass(questions: questions, update: update, time: clock, endsWrite: endsWrite, isNews: isNews)
  }

  // MARK: Writes

  /// Holds the tweaks of a write, before a provider applies it.
  mutating func hold(_ ids: Set<TweakID>) {
    held.writes += 1
    held.ids.formUnion(ids)
  }

  /// Notes the changes of a write, after the provider has applied it or has failed.
  mutating func note(_ update: TweakUpdate) {
    if update == .nothing { return }
    clock += 1
    held.changed.formUnion(update)
    held.time = clock
  }

  /// Returns whether a question is left to the last write to end, because its tweak is held.
  private func isHeld(_ question: TweakQuestion) -> Bool {
    if case .tweak(let id) = question { held.ids.contains(id) } else { false }
  }

  // MARK: Answers

  /// The result of storing answers.
  struct Outcome: Sendable {
    /// The changed resolutions, in the order of the questions.
    var stored: [(question: TweakQuestion, resolution: TweakResolution)] = []

    /// The changes of values, in the same order.
    var changes: [TweakChange] = []

    /// The tweaks to ask for once more, because their first lookup began during the pass, or because a provider has
    /// changed them while it was asked for them.
    var missed = TweakUpdate.nothing
  }

  /// Stores the answers of the providers.
  ///
  /// - Parameters:
  ///   - answers: A resolution for each question, or `nil` if the question was asked from within itself. The outer call
  ///     then gives the answer.
  ///   - pass: The questions.
  /// - Returns: The resolutions to show and the changes to send, or `nil` if newer answers have been stored, so that the
  ///   pass must begin again.
  mutating func store(_ answers: [TweakResolution?], of pass: Pass) -> Outcome? {
    let isLast = pass.endsWrite && held.writes == 1
    if isLast, held.time > pass.time { return nil }
    let places = pass.questions.map { entries.index(forKey: $0) }
    for case let place? in places where entries.values[place].stored > pass.time { return nil }
    if isLast { held = Held() } else if pass.endsWrite { held.writes -= 1 }
    var outcome = Outcome()
    if added > pass.time, let update = pass.update { outcome.missed = missed(update, since: pass.time) }
    clock += 1
    for ((question, place), answer) in zip(zip(pass.questions, places), answers) {
      guard let place else { continue }
      guard let answer else {
        if pass.update != nil { recalled.insert(question) }
        continue
      }
      if !recalled.isEmpty, recalled.remove(question) != nil, !pass.isRepeat { outcome.missed.formUnion([question.id]) }
      if held.writes > 0, isHeld(question) {
        note(.tweaks([question.id]))
        continue
      }
      let old = entries.values[place].resolution
      entries.values[place].stored = clock
      if old == answer { continue }
      entries.values[place].resolution = answer
      outcome.stored.append((question, answer))
      guard case .tweak(let id) = question, old != nil || pass.isNews else { continue }
      if let change = TweakChange(id, from: old?.tweak, to: answer.tweak) { outcome.changes.append(change) }
    }
    if !outcome.changes.isEmpty { version += 1 }
    return outcome
  }

  /// Returns the tweaks of an update that have been looked up first after a time.
  private func missed(_ update: TweakUpdate, since time: UInt64) -> TweakUpdate {
    func isMissed(_ question: TweakQuestion) -> Bool { entries[question].map { $0.added > time } ?? false }
    switch update {
    case .everything:
      let all = tweaks.filter { isMissed(.tweak($0)) }
      return .tweaks(Set(all + features.filter { isMissed(.feature($0)) }.map { TweakQuestion.feature($0).id }))
    case .tweaks(let ids): return .tweaks(ids.filter { isMissed(.tweak($0)) || isMissed(.feature($0.feature)) })
    }
  }
}

extension TweakChange {
  /// Creates the change from one resolution to the next, or returns `nil` if the value is the same.
  fileprivate init?(_ id: TweakID, from old: Tweak?, to new: Tweak?) {
    guard old?.value != new?.value else { return nil }
    self.init(
      id: id, old: old?.value, new: new?.value, source: new?.source,
      isSecret: old?.isSecret ?? false || new?.isSecret ?? false
    )
  }
}
