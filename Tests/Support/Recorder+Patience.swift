import Foundation
public import SignalsTesting

/// The limit of all waits in seconds, for code that is wrong on purpose.
private let limit = ProcessInfo.processInfo.environment["SIGNALS_PATIENCE"].flatMap { Double($0) }

/// Returns the time limit of a wait in the package's own tests, which a busy machine with two cores does not reach.
///
/// `SIGNALS_PATIENCE` sets another one, so that a test does not wait long for what a deliberate fault prevents.
public func patience(_ seconds: Double = 120) -> Duration {
  .seconds(limit ?? seconds)
}

/// The waits of `SignalsTesting`, for tests that give no time limit.
extension Recorder {
  /// Waits until the recorded elements satisfy a condition, and returns them.
  @discardableResult
  public func wait(
    for purpose: String = "a condition", until isSatisfied: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await wait(for: purpose, timeout: patience(), until: isSatisfied)
  }

  /// Waits for the first element that satisfies a condition, including those already recorded.
  @discardableResult
  public func first(
    _ purpose: String = "an element", where isWanted: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    try await first(purpose, timeout: patience(), where: isWanted)
  }
}

extension Recorder where Element: Equatable {
  /// Waits for an element.
  public func wait(for element: Element) async throws {
    try await wait(for: element, timeout: patience())
  }
}
