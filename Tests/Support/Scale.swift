import Foundation

/// The amount of work in tests: enough to find a fault, or, with `SIGNALS_TORTURE=1` in the environment, enough to
/// trust.
///
/// A larger number is the duration of random tests in seconds.
public enum Scale {
  /// A Boolean value that indicates whether the long runs are requested.
  public static let isTorture = tortureTime != nil

  /// The duration of random programs in long runs, in seconds; `nil` in short runs.
  public static let tortureTime = ProcessInfo.processInfo.environment["SIGNALS_TORTURE"].flatMap(Double.init).map {
    $0 > 1 ? $0 : 300
  }

  /// The seed of the random program to run, from `SIGNALS_SEED`; `nil` for random seeds.
  public static let seed = ProcessInfo.processInfo.environment["SIGNALS_SEED"].flatMap(UInt64.init)

  /// Returns the number of repetitions for the requested length of runs.
  public static func count(_ usual: Int, torture: Int) -> Int {
    isTorture ? torture : usual
  }

  /// Prints the progress of a long test.
  public static func progress(_ text: @autoclosure () -> String) {
    if isTorture { FileHandle.standardError.write(Data("… \(text())\n".utf8)) }
  }
}
