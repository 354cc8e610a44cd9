extension TweakState {
  /// A set of questions to all providers.
  struct Inquiry: Sendable, Equatable {
    let ticket: UInt64
    /// The questions.
    ///
    /// ``TweakState/take(_:to:)`` expects the answers in the same order.
    var questions: [TweakQuestion]

    /// The write whose results are requested.
    var write: WriteID?

    /// A Boolean value that indicates whether the first lookup of a tweak counts as a change.
    var isNews: Bool

    /// The tweaks that may have changed, for subscribers of ``TweakManager/updates``, or `nil` for a read.
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

    /// Returns the tweaks of a write that may have changed.
    func written(by ids: Set<TweakID>) -> Set<TweakID> {
      if case .tweaks(let changed) = update { changed.intersection(ids) } else { ids }
    }

    /// Removes the tweaks of a write, which another write takes over.
    mutating func leave(_ ids: Set<TweakID>) {
      write = nil
      guard case .tweaks(let changed) = update else { return }
      let others = changed.subtracting(ids)
      update = others.isEmpty ? nil : .tweaks(others)
    }
  }

  /// The result of storing answers.
  struct Outcome: Sendable, Equatable {
    /// The changed resolutions, in the order of the questions.
    var stored: [(question: TweakQuestion, resolution: TweakResolution)] = []

    /// The changes of values, in the same order.
    var changes: [TweakChange] = []

    /// The update to pass on to subscribers of ``TweakManager/updates``.
    var update: TweakUpdate?

    /// The questions to ask next.
    var next: Inquiry?

    static func == (first: Outcome, second: Outcome) -> Bool {
      first.changes == second.changes && first.update == second.update && first.next == second.next
        && first.stored.elementsEqual(second.stored) { $0.question == $1.question && $0.resolution == $1.resolution }
    }
  }
}
