import FileSignals
public import Foundation
public import Signals

extension AppContainer {
  /// Activates an environment; does nothing if it is active already.
  ///
  /// A switch has these steps:
  ///
  /// 1. ``events`` sends ``Event/willChange(from:to:)``, and delegates may refuse.
  /// 2. Flush hooks run, and settings are written.
  /// 3. Live values are held: writers finish, and new ones wait.
  /// 4. Files are moved, and settings are loaded.
  /// 5. Live values read their new content. If that fails, the value is stale, and its status has the reason.
  /// 6. All locks are released. Files, suites, ``active`` and ``environments`` change as in one `batch(_:)`, so a value
  ///    that is derived from several of them is sent once.
  /// 7. ``events`` sends ``Event/didChange(from:to:)``, and delegates are called.
  ///
  /// All of this has happened when the call returns.
  ///
  /// - Parameter environment: The environment to activate.
  /// - Throws: ``AppContainerError``; then the previous environment is still active, with all its contents.
  /// - Complexity: O(*n*) in the number of entries at the top of the root, regardless of their contents.
  public func activate(_ environment: Environment) throws(AppContainerError) {
    try activate(id: environment.id)
  }

  /// Activates the environment with an identifier; see ``activate(_:)-104jo``.
  ///
  /// - Parameter id: The identifier.
  /// - Throws: ``AppContainerError``, such as ``AppContainerError/notFound(id:)``; then the previous environment is
  ///   still active.
  public func activate(id: UUID) throws(AppContainerError) {
    try engine.exclusively("activate") { try $0.activate(id) }
  }

  /// Activates an environment without blocking the threads that tasks run on.
  ///
  /// - Parameter environment: The environment to activate.
  /// - Throws: ``AppContainerError``, or `CancellationError` if the task was cancelled before it began.
  public func activate(_ environment: Environment) async throws {
    try await activate(id: environment.id)
  }

  /// Activates the environment with an identifier, without blocking the threads that tasks run on.
  ///
  /// - Parameter id: The identifier.
  /// - Throws: ``AppContainerError``, or `CancellationError` if the task was cancelled before it began.
  public func activate(id: UUID) async throws {
    try await BlockingCalls.run(for: engine.layout.stateURL) { [engine] in
      try engine.exclusively("activate") { try $0.activate(id) }
    }
  }

  /// Adds a closure that saves unsaved state before an environment is put away, emptied, copied or exported.
  ///
  /// Hooks of a lower order run first, and hooks of the same order in the order in which they were added. A hook that
  /// throws prevents the switch. Hooks run on the thread that switches, and must not change environments.
  ///
  /// Hooks run for changes by this process only. If another process switches, this process is notified afterwards, by a
  /// delegate's `didChange` or ``active``. Unsaved state in its memory then belongs to the old environment: discard it.
  /// Use live values of the ``scope`` for state that several processes share.
  ///
  /// - Parameters:
  ///   - order: The position among other hooks.
  ///   - hook: The closure.
  /// - Returns: A token that removes the hook when it is released. It does not keep the container alive.
  public func onFlush(order: Int = 0, _ hook: @escaping @Sendable () throws -> Void) -> SignalSubscription {
    engine.participants.add(order: order, hook)
  }

  /// Adds a delegate after the existing ones; a delegate that was added already is not added again.
  ///
  /// It is called until this object or the delegate is released.
  ///
  /// - Parameter delegate: The delegate, which is not kept alive.
  public func add(_ delegate: any AppContainerDelegate) { engine.participants.add(delegate, of: self) }

  /// Removes a delegate.
  ///
  /// - Parameter delegate: The delegate.
  public func remove(_ delegate: any AppContainerDelegate) { engine.participants.remove(delegate, of: self) }
}

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

extension AppContainer {
  /// The notification before a switch.
  ///
  /// Its `userInfo` has an ``Environment`` for each of the keys `from` and `to`.
  public static let willChangeNotification = Notification.Name("org.signals.environmentWillChange")

  /// The notification after a switch by any process.
  ///
  /// Its `userInfo` has an ``Environment`` for each of the keys `from` and `to`.
  public static let didChangeNotification = Notification.Name("org.signals.environmentDidChange")

  /// Posts a notification before and after each switch, for code that observes notifications instead of ``events``.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let posting = app.postNotifications()
  /// let name = AppContainer.didChangeNotification
  /// let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
  ///   print((notification.userInfo?["to"] as? AppContainer.Environment)?.name ?? "nothing")
  /// }
  /// try app.activate(app.create(name: "Work"))  // Prints "Work"
  /// NotificationCenter.default.removeObserver(observer)
  /// posting.cancel()
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// They are posted on the thread that switches, or on a thread of the root for switches by other processes. A switch
  /// that fails posts no second notification. Notifications do not name the root, so post them for one root only.
  ///
  /// - Parameter center: The notification center.
  /// - Returns: A token that ends the posting when it is cancelled or released.
  public func postNotifications(to center: NotificationCenter = .default) -> SignalSubscription {
    events.sink { event in
      switch event {
      case .willChange(let from, let to):
        center.post(name: Self.willChangeNotification, object: nil, userInfo: ["from": from, "to": to])
      case .didChange(let from, let to):
        center.post(name: Self.didChangeNotification, object: nil, userInfo: ["from": from, "to": to])
      case .failed: break
      }
    }
  }
}
