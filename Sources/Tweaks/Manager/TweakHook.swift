/// Code that runs when a tweak is looked up: once after each change, not at each read.
///
/// - **Order.** `before` closures are called in the order in which hooks were added, the others in reverse order.
/// - **Errors.** If a `before` closure throws, no provider is asked and the tweak has its default. `error` and
///   `finally` are still called.
/// - **Reentrancy.** A hook may use the manager. These calls do not invoke hooks.
/// - **Features.** Hooks are not called for features, such as by ``TweakManager/isFeatureEnabled(_:)``, nor for
///   ``TweakManager/trace(feature:variable:as:)``. Do not use `before` to guard them.
public struct TweakHook: Sendable {
  let before: (@Sendable (TweakID) throws -> Void)?
  let after: (@Sendable (Tweak) -> Void)?
  let error: (@Sendable (TweakID, TweakError) -> Void)?
  let finally: (@Sendable (TweakID) -> Void)?

  /// Creates a hook.
  ///
  /// - Parameters:
  ///   - before: A closure that is called before providers are asked.
  ///   - after: A closure that is called with the tweak that was found.
  ///   - error: A closure that is called if no usable tweak was found.
  ///   - finally: A closure that is called exactly once, at the end.
  public init(
    before: (@Sendable (TweakID) throws -> Void)? = nil,
    after: (@Sendable (Tweak) -> Void)? = nil,
    error: (@Sendable (TweakID, TweakError) -> Void)? = nil,
    finally: (@Sendable (TweakID) -> Void)? = nil
  ) {
    self.before = before
    self.after = after
    self.error = error
    self.finally = finally
  }
}
