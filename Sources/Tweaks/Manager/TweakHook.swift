/// Code that runs when a tweak is looked up: once after each change, not each time it is read.
///
/// ``before`` is called in the order in which hooks were added, the others in reverse. If one of ``before`` throws, no
/// provider is asked and the tweak has its default; ``error`` and ``finally`` are called all the same. A hook may use
/// the manager; no hooks are called for that.
///
/// Hooks are not called for features, such as by ``TweakManager/isFeatureEnabled(_:)``, nor for
/// ``TweakManager/trace(feature:variable:)``. Do not use ``before`` to guard them.
public struct TweakHook: Sendable {
  /// Called before providers are asked.
  public var before: (@Sendable (TweakID) throws -> Void)?

  /// Called with what was found.
  public var after: (@Sendable (Tweak) -> Void)?

  /// Called if nothing usable was found.
  public var error: (@Sendable (TweakID, TweakError) -> Void)?

  /// Called at the end, exactly once.
  public var finally: (@Sendable (TweakID) -> Void)?

  /// Makes a hook.
  ///
  /// - Parameters:
  ///   - before: Called before providers are asked.
  ///   - after: Called with what was found.
  ///   - error: Called if nothing usable was found.
  ///   - finally: Called at the end, exactly once.
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
