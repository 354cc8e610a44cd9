/// A resolver that combines the answers of all providers into one resolution.
///
/// It takes them in the order of the providers.
///
/// It calls no other code, so the same answers always result in the same resolution.
struct TweakResolver: Sendable {
  /// The answer of one provider.
  enum Answer: Sendable, Hashable {
    /// The provider does not have the tweak.
    case absent

    /// The provider has the tweak.
    case tweak(Tweak)

    /// The provider has the tweak, and its value cannot be used.
    case failure(TweakError)
  }

  private let id: TweakID
  private let mismatch: TweakMismatch
  private var decided: TweakResolution?

  /// The first error that was skipped.
  private var error: TweakError?

  init(_ id: TweakID, mismatch: TweakMismatch) {
    self.id = id
    self.mismatch = mismatch
  }

  /// A Boolean value that indicates whether the next answer can decide.
  ///
  /// Otherwise only its title, description and group matter, and it need not be decrypted.
  var needsValue: Bool { decided == nil || mismatch == .fallThrough }

  /// A Boolean value that indicates whether a provider has decided.
  var isDecided: Bool { decided != nil }

  /// A Boolean value that indicates whether further answers change nothing.
  var isComplete: Bool {
    guard mismatch == .strict, let decided else { return false }
    guard let tweak = decided.tweak else { return true }
    return tweak.title != nil && tweak.details != nil && tweak.group != nil
  }

  /// The resolution from the answers so far.
  var resolution: TweakResolution { decided ?? TweakResolution(result: .failure(error ?? .notFound(id))) }

  /// Adds the answer of the next provider.
  mutating func take(_ answer: Answer) {
    switch answer {
    case .absent: return
    case .failure(let error):
      self.error = self.error ?? error
      if decided == nil, mismatch == .strict { decided = TweakResolution(result: .failure(error)) }
    case .tweak(let tweak):
      guard var resolution = decided else {
        decided = TweakResolution(result: .success(tweak))
        return
      }
      resolution.complete(with: tweak)
      if mismatch == .fallThrough { resolution.alternatives.append(tweak) }
      decided = resolution
    }
  }
}

extension TweakResolution {
  /// Adds the title, the description and the group that the deciding provider does not give.
  fileprivate mutating func complete(with other: Tweak) {
    guard var tweak else { return }
    let isNews =
      (tweak.title == nil && other.title != nil) || (tweak.details == nil && other.details != nil)
      || (tweak.group == nil && other.group != nil)
    guard isNews else { return }
    tweak.modify { parts in
      parts.title = parts.title ?? other.title
      parts.details = parts.details ?? other.details
      parts.group = parts.group ?? other.group
    }
    result = .success(tweak)
  }
}
