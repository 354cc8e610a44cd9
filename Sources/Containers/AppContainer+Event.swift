extension AppContainer {
  /// A step of a switch between environments.
  ///
  /// Each ``willChange(from:to:)`` is followed by exactly one ``didChange(from:to:)`` or ``failed(from:to:error:)``. A
  /// switch by another process is reported by ``didChange(from:to:)`` alone. If another process makes several switches
  /// in a row, only the last environment is reported, and nothing if it is the one that was active before.
  public enum Event: Sendable, Hashable {
    /// Another environment is about to replace the active one.
    case willChange(from: Environment, to: Environment)

    /// Another environment is active: its files, settings and cookies are in place, and all live values have followed.
    case didChange(from: Environment, to: Environment)

    /// The switch was refused or failed; the environment that was active still is.
    case failed(from: Environment, to: Environment, error: AppContainerError)
  }
}
