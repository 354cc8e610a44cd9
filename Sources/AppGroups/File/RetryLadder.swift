import Dispatch

/// When to look again at content that was not good, before it is reported.
///
/// A foreign writer that does not rename may be caught halfway; a moment later it is done. The pauses grow so that even
/// a slow one is waited for, and end so that nothing wakes up for ever.
struct RetryLadder {
  static let pauses: [DispatchTimeInterval] = [.milliseconds(10), .milliseconds(50), .milliseconds(250)]

  private var step = 0

  /// How long to wait before the next look, or `nil` if it is time to report.
  mutating func climb() -> DispatchTimeInterval? {
    guard step < Self.pauses.count else { return nil }
    defer { step += 1 }
    return Self.pauses[step]
  }

  mutating func reset() {
    step = 0
  }
}
