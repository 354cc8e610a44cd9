import Foundation
import SignalsKit

/// Writes to the terminal: lines that stay and, where a person looks on, one that keeps changing.
final class Display: Sendable {
  /// Whether standard output is a terminal that understands escape codes.
  private static let isLive = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  private let isColored: Bool

  /// The line that changes; drawing it is a subscription like any other.
  private let status = MutableProperty("")
  private let drawing: SignalSubscription

  init() {
    isColored = Self.isLive && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    // A write to a pipe that nobody reads is to fail, not to kill.
    signal(SIGPIPE, SIG_IGN)
    drawing = status.changes
      .scan(Frame()) { last, text in last.followed(by: text, at: Latencies.now()) }
      .filter(\.isDue)
      .map(\.text)
      .removeDuplicates()
      .sink { text in
        if Self.isLive { Self.put("\r\u{1B}[K\(text.prefix(Self.width))") }
      }
  }

  private static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col) - 1
  }

  func title(_ text: String) {
    line(styled(text, "1"))
  }

  func heading(_ text: String) {
    line("\n" + styled(text, "1;36"))
  }

  func note(_ text: String) {
    line(styled(text, "2"))
  }

  /// Clears the line that changes.
  func clear() {
    status.value = ""
  }

  /// A line that stays.
  func line(_ text: String) {
    clear()
    Self.put(text + "\n")
  }

  /// What is going on at this moment; shown to people only.
  func progress(_ text: String) {
    status.value = "  " + text
  }

  /// Says for each promise whether it was kept.
  ///
  /// - Returns: The exit status.
  func summarize(_ promises: [Promise], after effort: String) -> CInt {
    heading("What was promised, and what was seen")
    for promise in promises {
      line("  \(promise.isKept ? styled("kept  ", "32") : styled("BROKEN", "1;31"))  \(promise.text): \(promise.seen)")
    }
    let broken = promises.filter { !$0.isKept }.count
    line("")
    line(
      broken == 0
        ? "All \(promises.count) promises were kept, after \(effort)."
        : "\(broken) of \(promises.count) promises were BROKEN, after \(effort)."
    )
    return broken == 0 ? 0 : 1
  }

  private func styled(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  private static func put(_ text: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      // Nobody reads any more, as after `| head`; end as after any interruption.
      kill(getpid(), SIGTERM)
    }
  }
}
