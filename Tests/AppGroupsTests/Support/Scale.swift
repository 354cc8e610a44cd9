import Foundation

/// How much the tests do: enough to find a fault, or, with `SIGNALS_TORTURE=1` in the environment, enough to trust.
enum Scale {
  static let isTorture = ProcessInfo.processInfo.environment["SIGNALS_TORTURE"] == "1"

  static func count(_ usual: Int, torture: Int) -> Int {
    isTorture ? torture : usual
  }

  /// Tells how far a long test is.
  static func progress(_ text: @autoclosure () -> String) {
    if isTorture { FileHandle.standardError.write(Data("… \(text())\n".utf8)) }
  }
}
