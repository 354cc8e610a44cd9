/// A closure that receives the log messages of a manager.
///
/// The messages do not show values of secret tweaks.
public typealias TweakLogClosure = @Sendable (String, TweakLogLevel) -> Void

/// The importance of a log message.
@nonexhaustive
public enum TweakLogLevel: Int, Sendable, Hashable, Comparable {
  /// An error.
  case error

  /// The result of a lookup.
  case debug

  /// The answer of each provider.
  case verbose

  /// Compares levels.
  ///
  /// - Parameters:
  ///   - first: A level.
  ///   - second: Another level.
  /// - Returns: Whether the first is more important.
  public static func < (first: TweakLogLevel, second: TweakLogLevel) -> Bool { first.rawValue < second.rawValue }
}
