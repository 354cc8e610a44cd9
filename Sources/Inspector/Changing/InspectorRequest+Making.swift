public import Foundation

extension InspectorRequest {
  // MARK: Values

  /// Replaces a value, or a part of it.
  ///
  /// The change is based on the version of the resource. If another process changed the value in the meantime,
  /// ``InspectorError/conflict(operation:path:version:theirs:yours:)`` is thrown.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - path: The place as a JSON pointer, such as `/theme`; empty for the whole value.
  ///   - resource: A file or suite, as a snapshot contains it.
  /// - Returns: The request.
  public static func set(
    _ value: InspectedValue, at path: String = "", of resource: InspectedResource
  ) -> InspectorRequest {
    var request = InspectorRequest(path.isEmpty ? .setValue : .editValue, resource.id)
    (request.version, request.value) = (resource.version, value)
    if !path.isEmpty { request.path = path }
    return request
  }

  /// Removes a key of a suite, or a member of a value that a process changes as its type.
  ///
  /// The change is based on the version of the resource, as in ``set(_:at:of:)``.
  ///
  /// - Parameters:
  ///   - path: The place as a JSON pointer, such as `/theme`.
  ///   - resource: A file or suite, as a snapshot contains it.
  /// - Returns: The request.
  public static func remove(_ path: String, of resource: InspectedResource) -> InspectorRequest {
    var request = InspectorRequest(.removeValue, resource.id)
    (request.version, request.path) = (resource.version, path)
    return request
  }

  // MARK: Tweaks

  /// Overrides a tweak.
  ///
  /// - Parameters:
  ///   - id: The identifier of the tweak, such as `tweak/shop/limit`.
  ///   - text: The new value, as text of the tweak's type.
  /// - Returns: The request.
  public static func setTweak(_ id: String, to text: String) -> InspectorRequest {
    var request = InspectorRequest(.setTweak, id)
    request.text = text
    return request
  }

  /// Removes the override of a tweak.
  ///
  /// - Parameter id: The identifier of the tweak, such as `tweak/shop/limit`.
  /// - Returns: The request.
  public static func resetTweak(_ id: String) -> InspectorRequest { InspectorRequest(.resetTweak, id) }

  /// Removes the overrides of all tweaks.
  public static var resetAllTweaks: InspectorRequest { InspectorRequest(.resetAllTweaks) }

  // MARK: Logs

  /// Removes a consumer, so that the log is not kept for it.
  ///
  /// - Parameters:
  ///   - consumer: The name of the consumer, which no process runs.
  ///   - log: The identifier of the log, such as `log/inbox`.
  /// - Returns: The request.
  public static func removeConsumer(_ consumer: String, of log: String) -> InspectorRequest {
    var request = InspectorRequest(.removeConsumer, log)
    request.consumer = consumer
    return request
  }

  /// Removes the events that all consumers have handled.
  ///
  /// - Parameter log: The identifier of the log, such as `log/inbox`.
  /// - Returns: The request.
  public static func trimLog(_ log: String) -> InspectorRequest { InspectorRequest(.trimLog, log) }

  // MARK: Work queues

  /// Makes a failed or delayed job of a work queue wait.
  ///
  /// - Parameters:
  ///   - id: The identifier of the job.
  ///   - queue: The name of the queue.
  ///   - database: The identifier of the database, such as `database/farm.sqlite`.
  /// - Returns: The request.
  public static func retryJob(_ id: Int64, of queue: String, in database: String) -> InspectorRequest {
    InspectorRequest(.retryJob, database, id: "\(id)", name: queue)
  }

  /// Removes a job of a work queue, whatever its state is.
  ///
  /// - Parameters:
  ///   - id: The identifier of the job.
  ///   - queue: The name of the queue.
  ///   - database: The identifier of the database, such as `database/farm.sqlite`.
  /// - Returns: The request.
  public static func cancelJob(_ id: Int64, of queue: String, in database: String) -> InspectorRequest {
    InspectorRequest(.cancelJob, database, id: "\(id)", name: queue)
  }

  // MARK: Environments

  /// Activates an environment.
  ///
  /// - Parameters:
  ///   - environment: The name or identifier of the environment.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func switchEnvironment(
    to environment: String, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.switchContainer, container, id: environment)
  }

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - description: The purpose.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func createEnvironment(
    named name: String, description: String? = nil, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.createContainer, container, id: nil, name: name, description: description)
  }

  /// Copies an environment.
  ///
  /// - Parameters:
  ///   - environment: The name or identifier of the environment.
  ///   - name: The name of the copy, or `nil` for one that is derived from the environment's.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func cloneEnvironment(
    _ environment: String, named name: String? = nil, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.cloneContainer, container, id: environment, name: name)
  }

  /// Changes the name of an environment, and perhaps its description.
  ///
  /// - Parameters:
  ///   - environment: The name or identifier of the environment.
  ///   - name: The new name.
  ///   - description: The new description, or `nil` to keep the present one.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func renameEnvironment(
    _ environment: String, to name: String, description: String? = nil, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.renameContainer, container, id: environment, name: name, description: description)
  }

  /// Removes all files of an environment.
  ///
  /// - Parameters:
  ///   - environment: The name or identifier of the environment.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func cleanEnvironment(
    _ environment: String, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.cleanContainer, container, id: environment)
  }

  /// Deletes an environment and its files.
  ///
  /// - Parameters:
  ///   - environment: The name or identifier of the environment.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func deleteEnvironment(
    _ environment: String, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.deleteContainer, container, id: environment)
  }

  /// Writes an archive of an environment.
  ///
  /// - Parameters:
  ///   - environment: The name or identifier of the environment.
  ///   - archive: The file.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func exportEnvironment(
    _ environment: String, to archive: URL, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.exportContainer, container, id: environment, path: archive.path)
  }

  /// Creates an environment from an archive.
  ///
  /// - Parameters:
  ///   - archive: The file.
  ///   - name: The name of the environment, or `nil` for the one in the archive.
  ///   - container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func importEnvironment(
    from archive: URL, named name: String? = nil, in container: String = "container/"
  ) -> InspectorRequest {
    InspectorRequest(.importContainer, container, id: nil, name: name, path: archive.path)
  }

  /// Activates the default environment, and deletes all others.
  ///
  /// - Parameter container: The identifier of the root with the environments.
  /// - Returns: The request.
  public static func resetEnvironments(in container: String = "container/") -> InspectorRequest {
    InspectorRequest(.resetContainers, container)
  }

  private init(
    _ action: Action, _ resource: String, id: String?, name: String? = nil, description: String? = nil,
    path: String? = nil
  ) {
    self.init(action, resource)
    (self.id, self.name, self.description, self.path) = (id, name, description, path)
  }
}
