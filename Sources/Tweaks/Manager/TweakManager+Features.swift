import Signals

extension TweakManager {
  func tweakResolution(_ id: TweakID) -> TweakResolution {
    usesCache ? resolution(of: .tweak(id)) : askNow(.tweak(id))
  }

  func featureResolution(_ feature: String) -> TweakResolution {
    let question = TweakQuestion.feature(feature)
    return usesCache ? resolution(of: question) : askNow(question)
  }

  func isEnabled(_ resolution: TweakResolution, _ feature: String) -> Bool {
    switch resolution.result {
    case .success(let tweak): return tweak.boolValue ?? false
    case .failure(.notFound): return false
    case .failure(let error):
      let isNews = state.withLock { $0.reportedFeatures.updateValue(error, forKey: feature) != error }
      if isNews { report(error) }
      return false
    }
  }

  // MARK: Lookups

  /// Asks the providers whether a feature is enabled.
  func resolve(_ feature: String, in environment: TweakEnvironment) -> TweakResolution {
    var firstError: TweakError?
    for (index, source) in environment.sources.all.enumerated() {
      do throws(TweakError) {
        guard let isEnabled = try state(of: feature, at: index, in: environment) else { continue }
        let tweak = Tweak(
          feature: feature, variable: Tweak.enabledVariable, value: .bool(isEnabled), source: source.name)
        return TweakResolution(result: .success(tweak))
      } catch {
        if isStrict { return TweakResolution(result: .failure(error)) }
        firstError = firstError ?? error
      }
    }
    let id = TweakQuestion.feature(feature).id
    let resolution = TweakResolution(result: .failure(firstError ?? .notFound(id)))
    checkMissing(resolution, id)
    return resolution
  }

  private func state(
    of feature: String, at index: Int, in environment: TweakEnvironment
  ) throws(TweakError) -> Bool? {
    do throws(TweakError) {
      return try environment.tables[index].featureState(feature)
    } catch {
      switch error {
      case .notFound: return nil
      case .decryptionClosureNotProvided, .typeMismatch: break
      default: throw error
      }
      // The answer may be encrypted, which only a lookup handles.
      var lookup = TweakLookup(TweakQuestion.feature(feature).id, in: environment)
      switch lookup.opened(at: index) {
      case .success(nil): throw error
      case .failure(let error): throw error
      case .success(let tweak?): return try tweak.value(as: Bool.self)
      }
    }
  }
}
