import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Collects what a callback is given, on whatever thread, for a test to wait for.
struct Log<Element: Sendable>: Sendable {
  private let recorder = Recorder<Element>()

  func append(_ element: Element) {
    recorder.record(element)
  }

  var all: [Element] { recorder.elements }

  /// Waits until the elements fulfil a condition; only a failure makes it wait for the time limit.
  @discardableResult
  func wait(
    _ seconds: Int = 240, sourceLocation: SourceLocation = #_sourceLocation,
    until isFulfilled: @escaping @Sendable ([Element]) -> Bool
  ) async -> [Element] {
    do {
      return try await recorder.wait(timeout: .seconds(seconds), until: isFulfilled)
    } catch {
      Issue.record("Timed out; got \(all.suffix(20))", sourceLocation: sourceLocation)
      giveUp()
      return all
    }
  }
}

/// Waits until something holds that no event tells of, such as that a thread of the system has let go of something.
func eventually(
  _ seconds: Double = 240, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) async throws {
  let limit = ContinuousClock.now + .seconds(seconds)
  while try !holds() {
    guard ContinuousClock.now < limit else {
      Issue.record("It never came to hold", sourceLocation: sourceLocation)
      giveUp()
      return
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Lets all further waiting of a test end at once, because what it waits for builds on what did not come.
private func giveUp() {
  withUnsafeCurrentTask { $0?.cancel() }
}

/// Replaces a file's content on the calling thread, which a test may do for so short a time.
func store(_ content: String, _ url: URL) throws {
  try DurableFile.write(Data(content.utf8), to: url, durability: .process)
}
