import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Collects the elements that a callback receives on any thread, for a test to wait for.
struct Log<Element: Sendable>: Sendable {
  private let recorder = Recorder<Element>()

  func append(_ element: Element) {
    recorder.record(element)
  }

  var all: [Element] { recorder.elements }

  /// Waits until the elements satisfy a condition.
  ///
  /// Only a failing test reaches the time limit.
  @discardableResult
  func wait(
    _ seconds: Double = 240, sourceLocation: SourceLocation = #_sourceLocation,
    until isFulfilled: @escaping @Sendable ([Element]) -> Bool
  ) async -> [Element] {
    do {
      return try await recorder.wait(timeout: patience(seconds), until: isFulfilled)
    } catch {
      Issue.record("Timed out; got \(all.suffix(20))", sourceLocation: sourceLocation)
      giveUp()
      return all
    }
  }
}

/// Waits for a condition that no event announces, such as the release of an object by a system thread.
func eventually(
  _ seconds: Double = 240, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) async throws {
  let limit = ContinuousClock.now + patience(seconds)
  while try !holds() {
    guard ContinuousClock.now < limit else {
      Issue.record("The condition was never satisfied", sourceLocation: sourceLocation)
      giveUp()
      return
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Ends all further waits of a test at once, because they depend on the one that failed.
private func giveUp() {
  withUnsafeCurrentTask { $0?.cancel() }
}

/// Replaces a file's content on the calling thread, which blocks it only briefly.
func store(_ content: String, _ url: URL) throws {
  try DurableFile.write(Data(content.utf8), to: url, durability: .process)
}
