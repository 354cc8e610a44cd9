/// The declarations of OpenFeature's Swift interface that an adapter needs, without their implementation.
///
/// The real ones use Combine, which Linux lacks.
enum OpenFeatureStub {
  struct ProviderEvaluation<T> {
    var value: T
    var variant: String?
    var reason: String?
    var errorCode: ErrorCode?
    var errorMessage: String?
  }

  enum ErrorCode: Int {
    case providerNotReady = 1
    case flagNotFound, parseError, typeMismatch, targetingKeyMissing, invalidContext, general, providerFatal
  }

  enum ProviderStatus {
    case notReady, ready, stale, error, fatal, reconciling
  }

  enum Value: Equatable {
    case boolean(Bool)
    case string(String)
    case integer(Int64)
    case double(Double)
  }

  protocol EvaluationContext {
    func getTargetingKey() -> String
    func asMap() -> [String: Value]
  }

  protocol FeatureProvider {
    var status: ProviderStatus { get }
    func onContextSet(oldContext: (any EvaluationContext)?, newContext: any EvaluationContext) async
    func getBooleanEvaluation(
      key: String, defaultValue: Bool, context: (any EvaluationContext)?
    ) throws -> ProviderEvaluation<Bool>
    func getStringEvaluation(
      key: String, defaultValue: String, context: (any EvaluationContext)?
    ) throws -> ProviderEvaluation<String>
    func getIntegerEvaluation(
      key: String, defaultValue: Int64, context: (any EvaluationContext)?
    ) throws -> ProviderEvaluation<Int64>
    func getDoubleEvaluation(
      key: String, defaultValue: Double, context: (any EvaluationContext)?
    ) throws -> ProviderEvaluation<Double>
  }
}
