public import Foundation

/// An error that an ``Inspector`` throws.
@nonexhaustive
public enum InspectorError: Error, Sendable, Hashable {
  /// The directory to inspect does not exist.
  case missingDirectory(URL)

  /// The directory cannot be observed.
  case unobservable(URL, reason: String)

  /// There is no such resource, table, environment or consumer.
  case notFound(String)

  /// The inspector was opened for reading only.
  case readOnly(operation: String)

  /// The value changed since the version on which a change is based.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - path: The file.
  ///   - version: The present version.
  ///   - theirs: The present value without its redacted parts.
  ///   - yours: The value that was to be stored; `nil` if it does not fit the present one.
  case conflict(operation: String, path: String, version: String, theirs: InspectedValue?, yours: InspectedValue?)

  /// The new value has another shape than the present one.
  case shape(operation: String, path: String, reason: String)

  /// The process that has the file open does not make the change; the reason usually names a member that it cannot
  /// decode.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - path: The file.
  ///   - process: The identifier of the ``InspectedProcess``.
  ///   - reason: The name of the process, and its words.
  case refused(operation: String, path: String, process: String, reason: String)

  /// The process that makes the changes of the file did not answer.
  ///
  /// It may have made the change. If it has not begun to, it never will.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - path: The file.
  ///   - process: The identifier of the ``InspectedProcess``.
  ///   - reason: The name of the process, and the lack of an answer.
  case unanswered(operation: String, path: String, process: String, reason: String)

  /// The request does not make sense for the resource.
  case invalid(operation: String, reason: String)

  /// The operation failed.
  case failed(operation: String, path: String?, reason: String)

  /// A word that identifies the kind of error in the protocol.
  public var code: String {
    switch self {
    case .missingDirectory, .notFound: "notFound"
    case .unobservable, .failed: "failed"
    case .readOnly: "readOnly"
    case .conflict: "conflict"
    case .shape: "shape"
    case .refused: "refused"
    case .unanswered: "unanswered"
    case .invalid: "invalid"
    }
  }

  /// The operation that failed.
  public var operation: String {
    switch self {
    case .missingDirectory(let url), .unobservable(let url, _): "Inspect \(url.path)"
    case .notFound(let name): "Find \(name)"
    case .readOnly(let operation), .conflict(let operation, _, _, _, _), .shape(let operation, _, _),
      .refused(let operation, _, _, _), .unanswered(let operation, _, _, _), .invalid(let operation, _),
      .failed(let operation, _, _):
      operation
    }
  }

  /// The path of the file, relative to the inspected directory.
  public var path: String? {
    switch self {
    case .conflict(_, let path, _, _, _), .shape(_, let path, _), .refused(_, let path, _, _),
      .unanswered(_, let path, _, _):
      path
    case .failed(_, let path, _): path
    default: nil
    }
  }

  /// The reason.
  public var cause: String {
    switch self {
    case .missingDirectory: "there is no such directory"
    case .unobservable(_, let reason): reason
    case .notFound: "there is no such resource"
    case .readOnly: "the inspector is open for reading only"
    case .conflict: "another process changed it in the meantime"
    case .refused(_, _, _, let reason), .unanswered(_, _, _, let reason), .shape(_, _, let reason),
      .invalid(_, let reason), .failed(_, _, let reason):
      reason
    }
  }

  /// The remedy.
  public var remedy: String {
    switch self {
    case .missingDirectory: "Start the app that creates it, or check the path."
    case .unobservable: "Check the permissions of the directory."
    case .notFound: "List the resources to see which exist."
    case .readOnly: "Open it with `isWritable`, or start the tool with `--write`."
    case .conflict: "Look at the present value, and repeat the change if it still makes sense."
    case .shape: "Keep the type of each value; the app that owns the file can change its shape."
    case .refused: "Correct the value; nothing was changed."
    case .unanswered: "Look at the value before you repeat the change. Continue or end the process if it is stopped."
    case .invalid: "Correct the request."
    case .failed: "Solve the cause, and repeat the operation."
    }
  }
}

extension InspectorError: CustomStringConvertible, LocalizedError {
  /// The operation, the cause and the remedy.
  public var description: String {
    let operation = operation.prefix(1).lowercased() + operation.dropFirst()
    return "Can't \(operation): \(cause.hasSuffix(".") ? String(cause.dropLast()) : cause). \(remedy)"
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
