/// The progress of one change as a value, which computes the next step from each answer.
///
/// It sends nothing itself and reads no clock. Its rules:
///
/// - **Once.** Every attempt compares the marker of the change with its known revision. One attempt at most succeeds.
/// - **Uncertainty.** After an attempt without an answer, the marker shows whether that attempt was made.
/// - **Settling.** If an attempt may still be under way, a refusal of another attempt is not the end. The marker is
///   written first, which makes the earlier attempt fail whenever it arrives. The content of the marker distinguishes
///   this from the change itself.
/// - **Leases.** Without its lease the marker proves nothing. The outcome of an attempt without an answer is then
///   uncertain forever.
struct CommitMachine: Sendable, Hashable {
  /// The answer to one attempt.
  enum Answer: Sendable, Hashable {
    /// The change, or the marker alone, was written at a revision.
    case written(Int64)
    /// A comparison failed; the marker has this revision, 0 if it is missing, and was last written for this purpose.
    case refused(marker: Int64, by: Marker.Purpose = .change)
    /// The lease does not exist.
    case leaseLost
    /// The attempt certainly had no effect, and another may succeed.
    case unsent
    /// The attempt may have had an effect.
    case unanswered
    /// No attempt can succeed.
    case impossible
    /// The time is over.
    case late
  }

  /// The next step.
  enum Step: Sendable, Hashable {
    /// Send the change, after a pause if the last attempt failed.
    case send
    /// Write the marker alone.
    case settle
    /// Begin again with another lease and another marker.
    case renew
    /// End: the change was made at this revision.
    case finish(Int64)
    /// End: a comparison of the change failed.
    case conflict
    /// End: the change was not made, for the reason of the last answer.
    case give
    /// End: the outcome is unknown.
    case uncertain
  }

  /// The revision of the marker before the change.
  private(set) var marker: Int64

  /// A Boolean value that indicates whether an attempt may have been made, or may still be made.
  private(set) var isUncertain = false

  /// A Boolean value that indicates whether the marker alone is being written.
  private(set) var isSettling = false

  init(marker: Int64) {
    self.marker = marker
  }

  /// Handles an answer, and returns the next step.
  mutating func handle(_ answer: Answer) -> Step {
    switch answer {
    case .written(let revision):
      marker = revision
      isUncertain = false
      // No earlier attempt has been made, and none will be.
      return isSettling ? .conflict : .finish(revision)
    case .refused(let found, let purpose):
      return refused(found, purpose)
    case .leaseLost:
      return isUncertain ? .uncertain : .renew
    case .unsent:
      return isSettling ? .settle : .send
    case .unanswered:
      isUncertain = true
      return isSettling ? .settle : .send
    case .impossible, .late:
      return isUncertain ? .uncertain : .give
    }
  }

  private mutating func refused(_ found: Int64, _ purpose: Marker.Purpose) -> Step {
    if found == marker {
      guard isUncertain else { return .conflict }
      isSettling = true
      return .settle
    }
    if found > 0, isUncertain {
      marker = found
      isUncertain = false
      // An attempt to settle, whose answer was lost, may have written the marker.
      return purpose == .change ? .finish(found) : .conflict
    }
    // The marker disappeared with its lease.
    return isUncertain ? .uncertain : .renew
  }
}
