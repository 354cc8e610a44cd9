public import SignalsTesting

/// How long the package's own tests wait: so long that a busy machine with two cores does not reach it.
private let patience = Duration.seconds(120)

/// The same waits as those of `SignalsTesting`, for tests that give no time limit.
extension Recorder {
  /// Waits until what was recorded satisfies a condition, and returns it.
  @discardableResult
  public func wait(
    for purpose: String = "a condition", until isSatisfied: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await wait(for: purpose, timeout: patience, until: isSatisfied)
  }

  /// Waits for the first element that satisfies a condition, whether it has come already or not.
  @discardableResult
  public func first(
    _ purpose: String = "an element", where isWanted: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    try await first(purpose, timeout: patience, where: isWanted)
  }
}

extension Recorder where Element: Equatable {
  /// Waits until an element has come.
  public func wait(for element: Element) async throws {
    try await wait(for: element, timeout: patience)
  }
}
