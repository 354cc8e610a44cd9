/// An object that may refuse a switch between environments, and is called after it.
///
/// Delegates are held weakly and called in the order in which they were added. They are called on the thread that
/// switches or, after a switch by another process, on a queue of the root.
public protocol AppContainerDelegate: AnyObject, Sendable {
  /// Asks the delegate before an environment is activated; throw an error to refuse.
  ///
  /// Nothing has been written or moved yet. This method cannot change environments itself. A switch by another
  /// process cannot be refused: `didChange` is then the first call, and the files of the old environment are put away.
  ///
  /// - Parameters:
  ///   - appContainer: The object to which the delegate was added.
  ///   - environment: The environment that is to be activated.
  ///   - current: The environment that is active.
  /// - Throws: The reason for the refusal, which ``AppContainerError/vetoed(reason:)`` contains.
  func appContainer(
    _ appContainer: AppContainer, willChangeTo environment: AppContainer.Environment,
    from current: AppContainer.Environment
  ) throws

  /// Notifies the delegate after an environment was activated, by this process or another.
  ///
  /// - Parameters:
  ///   - appContainer: The object to which the delegate was added.
  ///   - environment: The environment that is active now, with its new dates and counts.
  ///   - previous: The environment that was active before.
  func appContainer(
    _ appContainer: AppContainer, didChangeTo environment: AppContainer.Environment,
    from previous: AppContainer.Environment)
}

extension AppContainerDelegate {
  /// The environments that the methods of a delegate receive.
  public typealias Environment = AppContainer.Environment

  /// Accepts the switch.
  public func appContainer(
    _ appContainer: AppContainer, willChangeTo environment: AppContainer.Environment,
    from current: AppContainer.Environment
  ) throws {}

  /// Does nothing.
  public func appContainer(
    _ appContainer: AppContainer, didChangeTo environment: AppContainer.Environment,
    from previous: AppContainer.Environment
  ) {}
}
