/// A clock that can call a function at an instant, without a task that sleeps until then.
///
/// Operators that work with time accept any `Clock`. With most clocks, each subscription has a task that sleeps until
/// its next deadline. A clock that conforms to this protocol calls back instead, and thereby controls exactly when
/// everything happens. A test's virtual clock uses this to run everything that is due within the call that advances it.
public protocol SchedulingClock<Instant>: Clock {
  /// Schedules a function to be called once at an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant of the call. Calls for the same instant are made in the order in which they were
  ///     scheduled. If the instant has passed, the call is made as soon as possible, but never before this method has
  ///     returned.
  ///   - action: The function to call. No lock is held during the call, and the function may schedule further calls.
  /// - Returns: A token. After it has been cancelled or released, the function is not called any more.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> SignalSubscription
}
