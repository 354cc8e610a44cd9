/// The details of a shared value.
public struct InspectedFile: Sendable, Hashable, Codable {
  /// The notations of files.
  public enum Format: String, Sendable, Hashable, Codable {
    /// One value of JSON.
    case json
    /// Text that is not JSON.
    case text
    /// Bytes that are not text.
    case binary
    /// No bytes.
    case empty
  }

  /// The notation.
  public var format: Format

  /// A process that makes the changes of a value.
  public struct Editor: Sendable, Hashable, Codable {
    /// The identifier of the ``InspectedProcess``.
    public var process: String
    /// The type of the value in the process.
    public var type: String
  }

  /// The version in the envelope of a versioned value; the value of the resource is then the one in the envelope.
  public var envelope: String?

  /// The names of the members, if the value is an object.
  public var keys: [String]?

  /// A Boolean value that indicates whether the inspector can change the value.
  public var editable: Bool

  /// The process through which the value is changed; `nil` if changes go directly to the file.
  ///
  /// It is a process that has the file open and called ``Inspector/publish(in:allowingEdits:)`` with `true`.
  public var editor: Editor?

  /// The process that is writing the file.
  public var holder: InspectedHolder?
}

/// The details of a suite.
public struct InspectedSuite: Sendable, Hashable, Codable {
  /// The names of the members.
  public var keys: [String]

  /// The JSON types of the members, by name.
  public var types: [String: String]

  /// A Boolean value that indicates whether the suite holds tweaks.
  public var tweaks: Bool

  /// A Boolean value that indicates whether the inspector can change the suite.
  public var editable: Bool

  /// The process that is writing the file.
  public var holder: InspectedHolder?
}
