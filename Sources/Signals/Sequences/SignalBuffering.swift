/// A policy for the values that arrive while an asynchronous loop is busy.
@nonexhaustive
public enum SignalBuffering: Sendable, Hashable {
  /// Keeps every value.
  ///
  /// Memory grows while the loop falls behind.
  case unbounded

  /// Keeps at most this many of the newest values, and drops older ones.
  ///
  /// A number below 1 counts as 1.
  case newest(Int)

  /// Keeps at most this many of the oldest values, and drops later ones while the buffer is full.
  ///
  /// A number below 1 counts as 1.
  case oldest(Int)
}
