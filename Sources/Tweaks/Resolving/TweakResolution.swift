/// The combined answer of all providers for a tweak.
///
/// It takes the answers in the order of the providers. It calls no other code, so the same answers always result in the
/// same resolution.
struct TweakResolution: Sendable, Equatable {
  /// The answer of one provider: the tweak, `nil` if it has none, or the reason why its tweak cannot be used.
  typealias Answer = Result<Tweak?, TweakError>

  /// The effective tweak, or the reason why there is none.
  var result: Result<Tweak, TweakError>

  /// The answers of providers below, in order, for reads of a type that the first one does not have.
  var alternatives: [Tweak] = []

  /// A Boolean value that indicates whether it may change without an update, so that each read asks again.
  var isUnannounced = false

  /// Compares two resolutions, much faster than the generic comparison of results.
  static func == (first: TweakResolution, second: TweakResolution) -> Bool {
    if first.isUnannounced != second.isUnannounced { return false }
    return switch (first.result, second.result) {
    case (.success(let one), .success(let other)) where one != other: false
    case (.failure(let one), .failure(let other)) where one != other: false
    case (.success, .success), (.failure, .failure): first.alternatives == second.alternatives
    default: false
    }
  }

  /// The effective tweak.
  var tweak: Tweak? { result.tweak }

  /// Returns whether a provider has decided.
  func isDecided(_ isStrict: Bool) -> Bool {
    switch result {
    case .success: true
    case .failure(.notFound): false
    case .failure: isStrict
    }
  }

  /// Returns whether further answers change nothing.
  func isComplete(_ isStrict: Bool) -> Bool {
    guard isStrict, isDecided(isStrict) else { return false }
    guard let tweak else { return true }
    return tweak.title != nil && tweak.details != nil && tweak.group != nil
  }

  /// Adds the answer of the next provider.
  mutating func take(_ answer: Answer, _ isStrict: Bool) {
    switch answer {
    case .success(nil): return
    case .failure(let error): if case .failure(.notFound) = result { result = .failure(error) }
    case .success(let other?):
      guard isDecided(isStrict) else {
        result = .success(other)
        return
      }
      complete(with: other)
      if !isStrict { alternatives.append(other) }
    }
  }

  /// Adds the title, the description and the group that the deciding provider does not give.
  private mutating func complete(with other: Tweak) {
    guard var tweak else { return }
    let isNews =
      (tweak.title == nil && other.title != nil) || (tweak.details == nil && other.details != nil)
      || (tweak.group == nil && other.group != nil)
    guard isNews else { return }
    tweak.title = tweak.title ?? other.title
    tweak.details = tweak.details ?? other.details
    tweak.group = tweak.group ?? other.group
    result = .success(tweak)
  }
}
