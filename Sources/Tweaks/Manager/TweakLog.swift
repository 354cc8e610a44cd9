/// A closure that receives the log messages of a manager.
typealias TweakLogClosure = @Sendable (String, TweakLogLevel) -> Void

/// The importance of a log message; the most important one is the least.
@nonexhaustive
public enum TweakLogLevel: Sendable, Hashable, Comparable {
  /// An error.
  case error

  /// The result of a lookup.
  case debug

  /// The answer of each provider.
  case verbose
}
