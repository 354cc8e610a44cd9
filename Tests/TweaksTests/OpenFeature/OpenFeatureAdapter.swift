import Signals
import Tweaks

/// An OpenFeature provider that evaluates the tweaks of a manager.
///
/// A flag key is `feature.variable`, and the variable follows the last dot.
struct OpenFeatureAdapter: OpenFeatureStub.FeatureProvider {
  let manager: TweakManager
  let remote: RemoteTweakProvider

  var status: OpenFeatureStub.ProviderStatus {
    switch remote.status.value.state {
    case .notReady: .notReady
    case .ready: .ready
    case .stale: .stale
    case .error: .error
    case .fatal: .fatal
    }
  }

  func onContextSet(
    oldContext: (any OpenFeatureStub.EvaluationContext)?, newContext: any OpenFeatureStub.EvaluationContext
  ) async {
    let attributes = newContext.asMap().mapValues { value -> TweakValue in
      switch value {
      case .boolean(let value): .bool(value)
      case .string(let value): .string(value)
      case .integer(let value): .int(Int(value))
      case .double(let value): .double(value)
      }
    }
    do {
      try await remote.identify(TweakContext(targetingKey: newContext.getTargetingKey(), attributes: attributes))
    } catch {
      // The status says so.
    }
  }

  func getBooleanEvaluation(
    key: String, defaultValue: Bool, context: (any OpenFeatureStub.EvaluationContext)?
  ) -> OpenFeatureStub.ProviderEvaluation<Bool> {
    evaluation(key, defaultValue) { $0 }
  }

  func getStringEvaluation(
    key: String, defaultValue: String, context: (any OpenFeatureStub.EvaluationContext)?
  ) -> OpenFeatureStub.ProviderEvaluation<String> {
    evaluation(key, defaultValue) { $0 }
  }

  func getIntegerEvaluation(
    key: String, defaultValue: Int64, context: (any OpenFeatureStub.EvaluationContext)?
  ) -> OpenFeatureStub.ProviderEvaluation<Int64> {
    evaluation(key, Int(defaultValue)) { Int64($0) }
  }

  func getDoubleEvaluation(
    key: String, defaultValue: Double, context: (any OpenFeatureStub.EvaluationContext)?
  ) -> OpenFeatureStub.ProviderEvaluation<Double> {
    evaluation(key, defaultValue) { $0 }
  }

  private func evaluation<Value: TweakValueConvertible, Result>(
    _ key: String, _ defaultValue: Value, _ convert: (Value) -> Result
  ) -> OpenFeatureStub.ProviderEvaluation<Result> {
    let dot = key.lastIndex(of: ".")
    let feature = dot.map { String(key[..<$0]) } ?? "", variable = dot.map { String(key[$0...].dropFirst()) } ?? key
    let details = manager.details(for: TweakKey(feature, variable, default: defaultValue))
    return .init(
      value: convert(details.value), variant: details.tweak?.variant, reason: details.reason.rawValue,
      errorCode: details.error.map(code), errorMessage: details.error?.description)
  }

  private func code(_ error: TweakError) -> OpenFeatureStub.ErrorCode {
    switch error {
    // As long as the server has not answered, it may have the flag.
    case .notFound where remote.status.value.origin == .none: status == .fatal ? .providerFatal : .providerNotReady
    case .notFound: .flagNotFound
    case .typeMismatch: .typeMismatch
    case .invalidFile: .parseError
    case .targetingKeyMissing: .targetingKeyMissing
    default: .general
    }
  }
}
