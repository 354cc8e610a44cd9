/// What an asynchronous loop keeps of the values that come while it is busy.
@frozen
public enum SignalBuffering: Sendable, Hashable {
  /// Everything: no value is lost, and memory grows while the loop falls behind.
  case unbounded

  /// The newest values, this many at most; older ones give way. A number below 1 counts as 1.
  case newest(Int)

  /// The oldest values, this many at most; later ones are dropped while the buffer is full. A number below 1 counts as
  /// 1.
  case oldest(Int)
}
