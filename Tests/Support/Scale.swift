import Foundation

/// How much the tests do: enough to find a fault, or, with `SIGNALS_TORTURE=1` in the environment, enough to trust.
///
/// A larger number is for how many seconds what is random goes on.
public enum Scale {
  /// Whether enough is done to trust.
  public static let isTorture = tortureTime != nil

  /// How long random programs torture, in seconds; `nil` if they do not.
  public static let tortureTime = ProcessInfo.processInfo.environment["SIGNALS_TORTURE"].flatMap(Double.init).map {
    $0 > 1 ? $0 : 300
  }

  /// The seed of the random program to run, from `SIGNALS_SEED`; `nil` if any will do.
  public static let seed = ProcessInfo.processInfo.environment["SIGNALS_SEED"].flatMap(UInt64.init)

  /// How often to do something.
  public static func count(_ usual: Int, torture: Int) -> Int {
    isTorture ? torture : usual
  }

  /// Tells how far a long test is.
  public static func progress(_ text: @autoclosure () -> String) {
    if isTorture { FileHandle.standardError.write(Data("… \(text())\n".utf8)) }
  }
}
