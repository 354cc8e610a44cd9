import Signals

/// The answers of all providers for a tweak, and the one that decides.
public struct TweakTrace: Sendable, Hashable, CustomStringConvertible {
  /// The answer of one provider.
  public struct Answer: Sendable, Hashable {
    /// The provider.
    public let provider: String

    /// The outcome of asking the provider.
    public let outcome: Outcome
  }

  /// An outcome of asking a provider.
  @nonexhaustive
  public enum Outcome: Sendable, Hashable {
    /// The provider does not have the tweak.
    case absent

    /// The provider has this tweak.
    case value(Tweak)

    /// The provider has a tweak that is not of the requested type.
    case mismatch(Tweak)

    /// The provider has a tweak that cannot be used.
    case error(TweakError)

    fileprivate var isMismatch: Bool { if case .mismatch = self { true } else { false } }
  }

  /// The tweak.
  public let id: TweakID

  /// The version of the manager when the providers were asked, which is ``TweakSnapshot/version``.
  public let version: Int

  /// The answers of the providers, the most important first.
  public let answers: [Answer]

  /// The index of the deciding answer, or `nil` if none decides.
  public let winner: Int?

  /// The effective tweak, or the reason why there is none.
  public let result: Result<Tweak, TweakError>

  /// The name and the version, and a line for each provider.
  ///
  /// The deciding one is marked.
  public var description: String {
    let lines = answers.enumerated().map { index, answer in
      let text =
        switch answer.outcome {
        case .absent: "none"
        case .value(let tweak): tweak.shownValue + (tweak.rule.map { ", by \($0)" } ?? "")
        case .mismatch(let tweak): "\(tweak.shownValue), which is not of the requested type"
        case .error(let error): error.cause
        }
      return "\(index == winner ? "→" : " ") \(answer.provider): \(text)"
    }
    return (["\(id), version \(version)"] + lines).joined(separator: "\n")
  }
}

extension TweakManager {
  /// Returns the current answers of all providers for a tweak, and the one that decides for a type.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - type: The type of the value.
  /// - Returns: The answers.
  public func trace<Value: TweakValueConvertible>(
    feature: String, variable: String, as type: Value.Type = TweakValue.self
  ) -> TweakTrace {
    let id = TweakID(feature: feature, variable: variable)
    let (version, environment) = withTables { ($0.index.version, TweakEnvironment($0, $0.sources, $1, isSilent: true)) }
    var lookup = TweakLookup(id, in: environment)
    let answers = environment.sources.all.enumerated().map { index, source in
      let outcome: TweakTrace.Outcome =
        switch lookup.opened(at: index) {
        case .success(nil): .absent
        case .success(let tweak?): tweak.converted(to: type) == nil ? .mismatch(tweak) : .value(tweak)
        case .failure(let error): .error(error)
        }
      return TweakTrace.Answer(provider: source.name, outcome: outcome)
    }
    let winner = answers.firstIndex { answer in
      switch answer.outcome {
      case .absent: false
      case .value: true
      // The first provider that has the tweak decides, even if its answer is unusable.
      case .mismatch, .error: mismatch == .strict
      }
    }
    // Without a deciding answer, the first mismatch, or else the first error, gives the reason.
    let outcome =
      winner.map { answers[$0].outcome } ?? answers.lazy.map(\.outcome).first { $0.isMismatch }
      ?? answers.lazy.map(\.outcome).first { $0 != .absent }
    let result: Result<Tweak, TweakError> =
      switch outcome {
      case .value(let tweak): .success(tweak)
      case .mismatch(let tweak):
        .failure(.typeMismatch(id, expected: "\(type)", found: "a \(tweak.value.kind)", provider: tweak.source ?? name))
      case .error(let error): .failure(error)
      case .absent, nil: .failure(.notFound(id))
      }
    return TweakTrace(id: id, version: version, answers: answers, winner: winner, result: result)
  }
}
