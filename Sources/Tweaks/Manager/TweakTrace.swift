import Signals

/// The answers of all providers for a tweak, and the one that decides.
public struct TweakTrace: Sendable, Hashable, CustomStringConvertible {
  /// The answer of one provider.
  public struct Answer: Sendable, Hashable {
    /// The provider.
    public let provider: String

    /// The provider's tweak, `nil` if it has none, or the reason why the tweak cannot be used.
    ///
    /// If the tweak is not of the requested type, the reason is
    /// ``TweakError/typeMismatch(_:expected:found:provider:)``.
    public let result: Result<Tweak?, TweakError>
  }

  /// The tweak.
  let id: TweakID

  /// The version of the manager when the providers were asked, which is ``TweakSnapshot/version``.
  package let version: Int

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
    let lines = lines.map { "\($0.decides ? "→" : " ") \($0.provider): \($0.text)" }
    return (["\(id), version \(version)"] + lines).joined(separator: "\n")
  }

  /// The answer of one provider as people read it.
  package struct Line: Sendable, Hashable {
    package let provider: String

    /// The value, "none", or the cause of the failure; redacted if the value is secret.
    package let text: String

    /// A Boolean value that indicates whether this answer is the deciding one.
    package let decides: Bool
  }

  /// The answers as people read them, in the order of the providers.
  package var lines: [Line] {
    answers.enumerated().map { index, answer in
      let text =
        switch answer.result {
        case .success(nil): "none"
        case .success(let tweak?): tweak.shownValue + (tweak.rule.map { ", by \($0)" } ?? "")
        case .failure(let error): error.cause
        }
      return Line(provider: answer.provider, text: text, decides: index == winner)
    }
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
      let result = lookup.opened(at: index).flatMap { tweak -> TweakResolution.Answer in
        do throws(TweakError) {
          _ = try tweak?.value(as: type)
          return .success(tweak)
        } catch {
          return .failure(error)
        }
      }
      return TweakTrace.Answer(provider: source.name, result: result)
    }
    let winner = answers.firstIndex { answer in
      switch answer.result {
      case .success(let tweak): tweak != nil
      // The first provider that has the tweak decides, even if its answer is unusable.
      case .failure: isStrict
      }
    }
    // Without a deciding answer, the first mismatch, or else the first error, gives the reason.
    let mismatch = answers.firstIndex { if case .failure(.typeMismatch) = $0.result { true } else { false } }
    let decisive = winner ?? mismatch ?? answers.firstIndex { $0.result != .success(nil) }
    let answer = decisive.map { answers[$0].result } ?? .success(nil)
    let result = answer.flatMap { tweak in tweak.map { .success($0) } ?? .failure(TweakError.notFound(id)) }
    return TweakTrace(id: id, version: version, answers: answers, winner: winner, result: result)
  }
}
