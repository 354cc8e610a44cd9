public import Signals

extension StandardAppContext {
  /// Adds the hook of a module, which runs when a session begins, is renewed and ends.
  ///
  /// Add hooks before ``setup(authDelegate:migrate:)``. A hook that is added later is not called for the user who is
  /// already logged in.
  ///
  /// - Parameters:
  ///   - hook: The closures.
  ///   - order: The position among other hooks.
  /// - Returns: A token that removes the hook when it is released. It does not keep the context alive.
  public func addHook(_ hook: SessionHook<User>, order: Int = 0) -> SignalSubscription {
    engine.hooks.add(hook, order: order)
  }
}
