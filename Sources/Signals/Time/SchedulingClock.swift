/// A clock that can do something at an instant, without a task that sleeps until then.
///
/// Operators that work with time take any `Clock`. With most clocks each subscription has a task that sleeps until its
/// next deadline. A clock that conforms to this protocol is asked to call back instead, which makes what happens when a
/// matter of the clock alone: that is how a test's virtual time runs everything that is due within the call that
/// advances it.
public protocol SchedulingClock<Instant>: Clock {
  /// Does something at an instant, once.
  ///
  /// - Parameters:
  ///   - deadline: When to do it. What is scheduled for one instant is done in the order in which it was scheduled; for
  ///     an instant that has passed, it is done as soon as possible, but never before this method has returned.
  ///   - action: What to do. It is called without any lock held, and may schedule more.
  /// - Returns: A token; the action is not called any more once it has been cancelled or released.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> SignalSubscription
}
