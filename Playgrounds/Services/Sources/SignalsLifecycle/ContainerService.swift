public import AppGroups
public import ServiceLifecycle

/// A service that keeps a container in use, and suspends it when the group of services shuts down.
///
/// Make it the first service of the group. A group shuts its services down in the opposite order, so the container is
/// suspended last, after the services that write to it have ended.
///
/// - **Start:** The services of a group start together. If an earlier group has suspended the container, resume it
///   before you run another one.
/// - **End:** ``run()`` returns after every lock of the process in the container is released. It does so, too, if its
///   task is cancelled.
/// - **Errors:** The group fails with `SuspensionError`, which names the files, if work in the container has not ended
///   in time.
public struct ContainerService: Service {
  private let container: AppGroupsContainer
  private let limit: Duration

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - limit: The longest time to wait for work under way when the container is suspended.
  public init(_ container: AppGroupsContainer, suspendWithin limit: Duration = .seconds(5)) {
    (self.container, self.limit) = (container, limit)
  }

  /// Waits until the group shuts down, and suspends the container.
  ///
  /// - Throws: `SuspensionError`, if work in the container has not ended in time.
  public func run() async throws {
    do {
      try await gracefulShutdown()
    } catch is CancellationError {
      // A cancelled group ends its services as well.
    }
    // A task of its own, because a cancelled one would not begin to suspend.
    try await Task { [container, limit] in try await container.suspend(within: limit) }.value
  }
}
