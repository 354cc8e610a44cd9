extension TweakState {
  /// A number of questions to all providers.
  struct Inquiry: Sendable, Equatable {
    let ticket: UInt64
    /// The questions, whose answers ``TweakState/take(_:to:)`` expects in the same order.
    var questions: [TweakQuestion]

    /// The write whose results are asked for.
    var write: WriteID?

    /// Whether a tweak that was never looked up before counts as a change.
    var isNews: Bool

    /// The tweaks that may have changed, for subscribers of ``TweakManager/updates``; `nil` for a mere read.
    var update: TweakUpdate?

    /// A Boolean value that indicates whether there is nothing to ask, to end or to pass on.
    var isEmpty: Bool { questions.isEmpty && write == nil && update == nil }

    init(
      ticket: UInt64, questions: [TweakQuestion], write: WriteID? = nil, isNews: Bool = false,
      update: TweakUpdate? = nil
    ) {
      self.ticket = ticket
      self.questions = questions
      self.write = write
      self.isNews = isNews
      self.update = update
    }

    /// Adds tweaks that may have changed.
    mutating func add(_ other: TweakUpdate) {
      guard case .tweaks(let ids) = other else {
        update = .everything
        return
      }
      guard !ids.isEmpty else { return }
      var sum = update ?? .nothing
      sum.formUnion(ids)
      update = sum
    }

    /// The tweaks of a write that may have changed.
    func written(by ids: Set<TweakID>) -> Set<TweakID> {
      if case .tweaks(let changed) = update { changed.intersection(ids) } else { ids }
    }

    /// Leaves the tweaks of the write to another one.
    mutating func leave(_ ids: Set<TweakID>) {
      write = nil
      guard case .tweaks(let changed) = update else { return }
      let others = changed.subtracting(ids)
      update = others.isEmpty ? nil : .tweaks(others)
    }
  }

  /// The result of taking answers.
  struct Outcome: Sendable, Equatable {
    /// The resolutions that differ from those before, in the order of the questions.
    var stored: [(question: TweakQuestion, resolution: TweakResolution)] = []

    /// The changes of values, in the same order.
    var changes: [TweakChange] = []

    /// The update to pass on to subscribers of ``TweakManager/updates``.
    var update: TweakUpdate?

    /// Questions that are to be asked next.
    var next: Inquiry?

    static func == (first: Outcome, second: Outcome) -> Bool {
      first.changes == second.changes && first.update == second.update && first.next == second.next
        && first.stored.elementsEqual(second.stored) { $0.question == $1.question && $0.resolution == $1.resolution }
    }
  }
}
