/// Is told what a manager does.
///
/// Values of secret tweaks are not shown to it.
public typealias TweakLogClosure = @Sendable (String, TweakLogLevel) -> Void

/// How much a message of the log matters.
public enum TweakLogLevel: Int, Sendable, Hashable, Comparable {
  /// Something is wrong.
  case error

  /// What was found.
  case debug

  /// What each provider said.
  case verbose

  /// Compares levels.
  ///
  /// - Parameters:
  ///   - first: A level.
  ///   - second: Another one.
  /// - Returns: Whether the first matters more.
  public static func < (first: TweakLogLevel, second: TweakLogLevel) -> Bool { first.rawValue < second.rawValue }
}
