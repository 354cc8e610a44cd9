/// The resolutions of all tweaks that have been looked up, and the writes in progress.
///
/// It is a value type: it calls no other code, and has neither a lock nor a clock. Its owner asks the providers between
/// two calls, with no lock held.
///
/// ```
///   a read, an update of a provider, the end of a write ──▶ inquiry ──▶ the owner asks the providers
///   the providers' answers ──▶ take(_:to:) ──▶ resolutions to show, changes to send, perhaps the next inquiry
/// ```
///
/// - **Order.** An answer is stored only if its inquiry began after the previous answer was stored, so a value never
///   returns to an older one. If the two inquiries overlapped, the later one is repeated.
/// - **Writes.** An update of a tweak that is being written is left to the writer. It asks once, after the provider has
///   applied the edits. So the thread and the number of updates do not matter.
/// - **Several tweaks.** The results of a write of several tweaks are stored together. Until then, other answers for
///   these tweaks are not stored. If a write ends while another one shares some of its tweaks, the other one takes all
///   of them over.
struct TweakState: Sendable {
  /// The identifier of a write in progress.
  typealias WriteID = UInt64

  private struct Entry {
    var resolution: TweakResolution?

    /// The ticket of the inquiry whose answer is stored, and the time when the answer was stored.
    var ticket: UInt64 = 0
    var time: UInt64 = 0
  }

  private struct Write {
    let id: WriteID
    var ids: Set<TweakID>

    /// The tweaks of this write that others have reported as changed since its last inquiry.
    var reported: Set<TweakID> = []

    /// A Boolean value that indicates whether the write has taken over tweaks of other writes since its last inquiry.
    var isExtended = false

    var hasSeveral: Bool { ids.count > 1 }

    func overlaps(_ other: Write) -> Bool { !ids.isDisjoint(with: other.ids) }

    /// Returns all reported tweaks, and resets the report.
    mutating func takeReported() -> Set<TweakID> {
      defer { reported = [] }
      isExtended = false
      return reported
    }
  }

  private var entries: [TweakQuestion: Entry] = [:]

  /// The tweaks and features with an entry, in the order of their first lookups.
  private var tweaks: [TweakID] = []
  private var features: [String] = []

  /// The writes in progress, the oldest first.
  ///
  /// There is rarely more than one.
  private var writes: [Write] = []
  private var clock: UInt64 = 0

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

  // MARK: Inquiries

  /// Begins an inquiry for a read.
  ///
  /// It omits tweaks and features that are already known.
  mutating func read(_ questions: [TweakQuestion]) -> Inquiry {
    let unknown = questions.filter { entries[$0]?.resolution == nil }
    return inquiry(unknown)
  }

  /// Begins an inquiry for an update of a provider.
  ///
  /// - Parameters:
  ///   - update: The tweaks that may have changed.
  ///   - known: The names of all tweaks that the providers list, or `nil` if no subscriber follows all changes. Only
  ///     `everything` needs them.
  /// - Returns: The questions to ask now.
  mutating func update(_ update: TweakUpdate, following known: [TweakID]?) -> Inquiry {
    guard case .tweaks(let ids) = update else {
      let questions = everything(following: known).filter { question in
        guard case .tweak(let id) = question else { return true }
        return !leave(id)
      }
      return inquiry(questions, isNews: known != nil, update: update)
    }
    let others = writes.isEmpty ? ids : ids.filter { !leave($0) }
    return inquiry(about: others, isFollowed: known != nil)
  }

  /// Begins a write of some tweaks, before a provider applies it.
  mutating func beginWrite(_ ids: Set<TweakID>) -> WriteID {
    clock += 1
    writes.append(Write(id: clock, ids: ids))
    return clock
  }

  /// Begins the inquiry that ends a write, after the provider has applied it or has failed.
  ///
  /// - Parameters:
  ///   - id: The write.
  ///   - changed: The tweaks that have changed, or `nil` if they are not known.
  ///   - known: The same as in ``update(_:following:)``.
  /// - Returns: The questions to ask now. The write ends when their answers are stored.
  mutating func endWrite(_ id: WriteID, changed: TweakUpdate?, following known: [TweakID]?) -> Inquiry {
    guard let index = writes.firstIndex(where: { $0.id == id }) else { return inquiry([]) }
    var update = changed ?? .tweaks(writes[index].ids)
    update.formUnion(writes[index].takeReported())
    var result: Inquiry
    switch update {
    case .everything:
      // Tweaks of other writes are included, because they may have been written before this one.
      result = inquiry(everything(following: known), isNews: known != nil, update: update)
    case .tweaks(let ids): result = inquiry(about: ids, isFollowed: known != nil)
    }
    result.write = id
    return result
  }

  private mutating func inquiry(
    _ questions: [TweakQuestion], isNews: Bool = false, update: TweakUpdate? = nil, areKnown: Bool = false
  ) -> Inquiry {
    clock += 1
    if !areKnown {
      for question in questions where entries[question] == nil { add(question) }
    }
    return Inquiry(ticket: clock, questions: questions, isNews: isNews, update: update)
  }

  private mutating func add(_ question: TweakQuestion) {
    entries[question] = Entry()
    switch question {
    case .tweak(let id): tweaks.append(id)
    case .feature(let feature): features.append(feature)
    }
  }

  /// Begins an inquiry about tweaks, and about the state of their features.
  private mutating func inquiry(about ids: Set<TweakID>, isFollowed: Bool) -> Inquiry {
    if ids.isEmpty { return inquiry([]) }
    var questions: [TweakQuestion] = []
    // If no subscriber follows all changes, only tweaks that have been looked up matter.
    for id in ids.count == 1 ? Array(ids) : ids.sorted() where isFollowed || entries[.tweak(id)] != nil {
      questions.append(.tweak(id))
    }
    if !features.isEmpty {
      for feature in Set(ids.map(\.feature)).sorted() where entries[.feature(feature)] != nil {
        questions.append(.feature(feature))
      }
    }
    return inquiry(questions, isNews: isFollowed, update: .tweaks(ids), areKnown: !isFollowed)
  }

  /// Returns all questions, beginning with those about tweaks that are newly followed.
  private func everything(following known: [TweakID]?) -> [TweakQuestion] {
    let new = (known ?? []).filter { entries[.tweak($0)] == nil }
    return (new + tweaks).map { .tweak($0) } + features.map { .feature($0) }
  }

  // MARK: Other writes

  /// Leaves an update of a tweak to a write that includes the tweak, if there is one.
  private mutating func leave(_ id: TweakID) -> Bool {
    guard let index = writes.firstIndex(where: { $0.ids.contains(id) }) else { return false }
    writes[index].reported.insert(id)
    return true
  }

  // MARK: Answers

  /// Stores the answers of the providers.
  ///
  /// - Parameters:
  ///   - answers: A resolution for each question, or `nil` if the question was asked from within itself. The outer call
  ///     then gives the answer.
  ///   - inquiry: The questions.
  /// - Returns: The resolutions to show, the changes to send, and the next inquiry.
  mutating func take(_ answers: [TweakResolution?], to inquiry: Inquiry) -> Outcome {
    var inquiry = inquiry
    var late: Set<TweakID> = []
    if let index = writes.firstIndex(where: { $0.id == inquiry.write }) {
      let write = writes[index]
      if let other = writes.firstIndex(where: { $0.id != write.id && $0.hasSeveral && $0.overlaps(write) }) {
        // The results of both writes may be mixed. Only answers to a later inquiry are known to be consistent.
        writes[other].ids.formUnion(write.ids)
        writes[other].reported.formUnion(inquiry.written(by: write.ids).union(write.reported))
        writes[other].isExtended = true
        inquiry.leave(write.ids)
      } else if write.isExtended {
        return Outcome(next: again(inquiry, of: index))
      } else {
        late = write.reported
      }
      writes.remove(at: index)
    }
    clock += 1
    var outcome = Outcome(update: inquiry.update)
    var repeated: [TweakQuestion] = []
    for (question, answer) in zip(inquiry.questions, answers) {
      guard let answer, let index = entries.index(forKey: question) else { continue }
      let entry = entries.values[index]
      guard inquiry.ticket > entry.ticket else { continue }
      if case .tweak(let id) = question,
        let write = writes.firstIndex(where: { $0.hasSeveral && $0.ids.contains(id) })
      {
        writes[write].reported.insert(id)
        continue
      }
      if inquiry.ticket < entry.time {
        repeated.append(question)
        continue
      }
      let old = entry.resolution
      let isSame = old == answer
      entries.values[index] = Entry(resolution: isSame ? old : answer, ticket: inquiry.ticket, time: clock)
      if isSame { continue }
      outcome.stored.append((question, answer))
      guard case .tweak(let id) = question, old != nil || inquiry.isNews else { continue }
      if let change = TweakChange(id, from: old?.tweak, to: answer.tweak) { outcome.changes.append(change) }
    }
    if !outcome.changes.isEmpty { version += 1 }
    if !late.isEmpty || !repeated.isEmpty { outcome.next = next(after: inquiry, about: late, repeating: repeated) }
    return outcome
  }

  /// Repeats the inquiry of a write, including the tweaks that the write has taken over.
  private mutating func again(_ old: Inquiry, of index: Int) -> Inquiry {
    var new = next(after: old, about: writes[index].takeReported(), repeating: old.questions)
    if let update = old.update { new.add(update) }
    new.write = old.write
    return new
  }

  /// Begins an inquiry about changed tweaks, and repeats questions.
  private mutating func next(
    after old: Inquiry, about changed: Set<TweakID>, repeating repeated: [TweakQuestion]
  ) -> Inquiry {
    var new = inquiry(about: changed, isFollowed: old.isNews)
    new.isNews = old.isNews
    let asked = Set(new.questions)
    new.questions += repeated.filter { !asked.contains($0) }
    if old.update != nil {
      new.add(.tweaks(Set(repeated.compactMap { question in if case .tweak(let id) = question { id } else { nil } })))
    }
    return new
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
