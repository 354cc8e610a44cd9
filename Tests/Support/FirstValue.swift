public import Signals
@_exported public import SignalsTesting

extension Signal where Failure == Never {
  /// Waits for the first value that satisfies a condition.
  @discardableResult
  public func firstValue(
    _ purpose: String = "a value",
    where isWanted: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    try await recorded().first(purpose, where: isWanted)
  }
}
