/// Is asked before a switch and told after it.
///
/// Delegates are held weakly and called in the order in which they were added, on the thread that switches; after a
/// switch by another process, on a queue of the root's own.
public protocol AppContainerDelegate: AnyObject, Sendable {
  /// A container is about to be activated; throw to refuse.
  ///
  /// Nothing has been written or moved yet, and no other change of the root can be made from here.
  ///
  /// - Parameters:
  ///   - appContainer: Whom the delegate was added to.
  ///   - container: The container that is to be activated.
  ///   - current: The container that is active.
  /// - Throws: Why not; it becomes the reason of ``AppContainerError/vetoed(reason:)``.
  func appContainer(_ appContainer: AppContainer, willChangeTo container: Container, from current: Container) throws

  /// A container has been activated, by this process or another.
  ///
  /// - Parameters:
  ///   - appContainer: Whom the delegate was added to.
  ///   - container: The container that is active now, with its new dates and counts.
  ///   - previous: The container that was.
  func appContainer(_ appContainer: AppContainer, didChangeTo container: Container, from previous: Container)
}

extension AppContainerDelegate {
  /// Agrees.
  public func appContainer(
    _ appContainer: AppContainer, willChangeTo container: Container, from current: Container
  ) throws {}

  /// Does nothing.
  public func appContainer(_ appContainer: AppContainer, didChangeTo container: Container, from previous: Container) {}
}
