/// A change that an ``Inspector`` is asked to make.
///
/// A static method makes the request for each change. ``InspectorOutcome/undo`` is a request, too.
public struct InspectorRequest: Sendable, Hashable, Codable {
  /// The changes that an inspector makes.
  package enum Action: String, Sendable, Hashable, Codable, CaseIterable {
    /// Replaces the value of a file or suite with ``InspectorRequest/value``.
    case setValue = "value.set"
    /// Replaces the part of a value at ``InspectorRequest/path``.
    case editValue = "value.edit"
    /// Removes the member at ``InspectorRequest/path`` of a suite, or of a value that a process changes as its type.
    case removeValue = "value.remove"
    /// Overrides a tweak with ``InspectorRequest/text``.
    case setTweak = "tweak.set"
    /// Removes the override of a tweak.
    case resetTweak = "tweak.reset"
    /// Removes all overrides.
    case resetAllTweaks = "tweak.resetAll"
    /// Activates the environment ``InspectorRequest/id``.
    case switchContainer = "container.switch"
    /// Creates an environment with a ``InspectorRequest/name``.
    case createContainer = "container.create"
    /// Copies the environment ``InspectorRequest/id``.
    case cloneContainer = "container.clone"
    /// Changes the name and description of the environment ``InspectorRequest/id``.
    case renameContainer = "container.rename"
    /// Removes all files of the environment ``InspectorRequest/id``.
    case cleanContainer = "container.clean"
    /// Deletes the environment ``InspectorRequest/id``.
    case deleteContainer = "container.delete"
    /// Writes an archive of the environment ``InspectorRequest/id`` to the file ``InspectorRequest/path``.
    case exportContainer = "container.export"
    /// Creates an environment from the archive ``InspectorRequest/path``.
    case importContainer = "container.import"
    /// Activates the default environment, and deletes all others.
    case resetContainers = "container.reset"
    /// Removes a ``InspectorRequest/consumer``, so that the log is not kept for it.
    case removeConsumer = "log.removeConsumer"
    /// Removes the events that all consumers have handled.
    case trimLog = "log.trim"
    /// Makes the failed or delayed job ``InspectorRequest/id`` of the queue ``InspectorRequest/name`` wait.
    case retryJob = "queue.retry"
    /// Removes the job ``InspectorRequest/id`` of the queue ``InspectorRequest/name``.
    case cancelJob = "queue.cancel"
  }

  /// The change.
  package var action: Action

  /// The identifier of the resource.
  package var resource: String?

  /// The version of the value on which the change is based.
  package var version: String?

  /// The new value.
  package var value: InspectedValue?

  /// The place as a JSON pointer, or the path of a file.
  package var path: String?

  /// The new value of a tweak as text.
  package var text: String?

  /// The identifier of an environment or job.
  package var id: String?

  /// The name of an environment or queue.
  package var name: String?

  /// The description of an environment.
  package var description: String?

  /// The name of a consumer.
  package var consumer: String?

  /// `true` to check the change and to return its differences without making it.
  package var dryRun: Bool?

  /// Creates a request without the properties that the action needs.
  ///
  /// - Parameters:
  ///   - action: The change.
  ///   - resource: The identifier of the resource.
  package init(_ action: Action, _ resource: String? = nil) {
    (self.action, self.resource) = (action, resource)
  }

  private enum CodingKeys: String, CodingKey {
    case action, version, value, path, text, id, name, description, consumer, dryRun
    case resource = "r"
  }

  /// The operation in words.
  var operation: String {
    let resource = resource.map { $0.drop { $0 != "/" }.dropFirst() }.map(String.init) ?? ""
    return switch action {
    case .setValue, .editValue: "Set \(resource)\(path.map { " at \($0)" } ?? "")"
    case .removeValue: "Remove \(path ?? "") of \(resource)"
    case .setTweak: "Set \(resource)"
    case .resetTweak: "Reset \(resource)"
    case .resetAllTweaks: "Reset all tweaks"
    case .switchContainer: "Switch to the environment \(id ?? "")"
    case .createContainer: "Create the environment \(name ?? "")"
    case .cloneContainer: "Clone the environment \(id ?? "")"
    case .renameContainer: "Rename the environment \(id ?? "")"
    case .cleanContainer: "Clean the environment \(id ?? "")"
    case .deleteContainer: "Delete the environment \(id ?? "")"
    case .exportContainer: "Export the environment \(id ?? "")"
    case .importContainer: "Import the environment \(path ?? "")"
    case .resetContainers: "Reset the environments"
    case .removeConsumer: "Remove the consumer \(consumer ?? "") of \(resource)"
    case .trimLog: "Trim \(resource)"
    case .retryJob: "Retry the job \(id ?? "") of the queue \(name ?? "")"
    case .cancelJob: "Cancel the job \(id ?? "") of the queue \(name ?? "")"
    }
  }
}

/// The result of a change by an ``Inspector``.
public struct InspectorOutcome: Sendable, Hashable, Encodable {
  /// A process that made a change.
  package struct Process: Sendable, Hashable, Encodable {
    /// The process identifier.
    package var pid: Int32
    /// The name.
    package var name: String

    /// The identifier of the ``InspectedProcess``.
    var id: String { "\(name)-\(pid)" }

    /// The process in a sentence.
    var words: String { "\(name) (\(pid))" }
  }

  /// A Boolean value that indicates whether the change was made.
  package var done = true

  /// A Boolean value that indicates whether the change was only checked.
  package var dryRun = false

  /// A description of the change, in one sentence.
  public var message: String

  /// The identifier of the resource.
  package var resource: String?

  /// The path of the changed file, relative to the inspected directory.
  package var path: String?

  /// The version after the change.
  package var version: String?

  /// The process that made the change.
  package var maker: Process?

  /// The identifier of the ``InspectedProcess`` that made the change: its name and process identifier, such as
  /// `app-812`.
  public var process: String? { maker?.id }

  /// The differences of the value, without its redacted parts.
  public var differences: [InspectedDifference]?

  /// A request that undoes the change, if one can.
  public var undo: InspectorRequest?

  init(_ message: String, _ resource: String? = nil) {
    (self.message, self.resource) = (message, resource)
  }

  private enum CodingKeys: String, CodingKey {
    case done, dryRun, message, path, version, undo
    case resource = "r"
    case maker = "process"
    case differences = "diff"
  }
}
