import FileSignals
public import Signals

extension AppContainer {
  /// Makes a container the active one; does nothing if it is.
  ///
  /// In this order: ``events`` tell of it and delegates may refuse; flush hooks run, and settings are written; live
  /// values come to rest; files are moved and settings loaded; live values go on with what they find; ``active`` and
  /// ``list`` change, ``events`` tell, and delegates hear that it is done. When this returns, all of that has happened.
  ///
  /// - Parameter container: The container to activate.
  /// - Throws: ``AppContainerError``; the container that was active still is, and all that is in it.
  /// - Complexity: O(*n*) in the number of entries at the top of the root, whatever is in them.
  public func activate(container: Container) throws(AppContainerError) {
    try activateContainer(uuid: container.uuid)
  }

  /// Makes the container of an identifier the active one; see ``activate(container:)-522ht``.
  ///
  /// - Parameter uuid: The identifier.
  /// - Throws: ``AppContainerError``, among them ``AppContainerError/notFound(uuid:)``; the container that was active
  ///   still is.
  public func activateContainer(uuid: String) throws(AppContainerError) {
    try engine.exclusively("activate") { try $0.activate(uuid) }
  }

  /// Makes a container the active one, without blocking the threads that tasks run on.
  ///
  /// - Parameter container: The container to activate.
  /// - Throws: ``AppContainerError``, or `CancellationError` if the task was cancelled before it began.
  public func activate(container: Container) async throws {
    try await activateContainer(uuid: container.uuid)
  }

  /// Makes the container of an identifier the active one, without blocking the threads that tasks run on.
  ///
  /// - Parameter uuid: The identifier.
  /// - Throws: ``AppContainerError``, or `CancellationError` if the task was cancelled before it began.
  public func activateContainer(uuid: String) async throws {
    try await BlockingCalls.run(for: engine.layout.stateURL) { [engine] in
      try engine.exclusively("activate") { try $0.activate(uuid) }
    }
  }

  /// Has something written before a container is put away, emptied, copied or exported: what only memory holds, and
  /// belongs to it.
  ///
  /// Hooks of a lower order run first, those of the same in the order in which they were added. One that throws keeps
  /// the switch from happening. They run on the thread that switches, and must not change containers.
  ///
  /// - Parameters:
  ///   - order: When to run, compared with others.
  ///   - hook: Writes it.
  /// - Returns: A token that removes the hook when it is released.
  public func onFlush(order: Int = 0, _ hook: @escaping @Sendable () throws -> Void) -> SignalSubscription {
    engine.participants.add(order: order, hook)
  }

  /// Asks and tells a delegate from now on, after those that were added before; one that is added already is not added
  /// again.
  ///
  /// That ends with this object, or with the delegate.
  ///
  /// - Parameter delegate: The delegate, which is not kept alive.
  public func add(_ delegate: any AppContainerDelegate) { engine.participants.add(delegate, of: self) }

  /// Neither asks nor tells a delegate any more.
  ///
  /// - Parameter delegate: The delegate.
  public func remove(_ delegate: any AppContainerDelegate) { engine.participants.remove(delegate, of: self) }
}
