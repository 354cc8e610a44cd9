/// The details of a shared value.
package struct InspectedFile: Sendable, Hashable, Encodable {
  /// The notations of files.
  package enum Format: String, Sendable, Hashable, Encodable {
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
  package var format: Format

  /// A process that makes the changes of a value.
  package struct Editor: Sendable, Hashable, Encodable {
    /// The identifier of the ``InspectedProcess``.
    package var process: String
    /// The type of the value in the process.
    package var type: String
  }

  /// The version in the envelope of a versioned value; the value of the resource is then the one in the envelope.
  package var envelope: String?

  /// The names of the members, if the value is an object.
  package var keys: [String]?

  /// A Boolean value that indicates whether the inspector can change the value.
  package var editable: Bool

  /// The process through which the value is changed; `nil` if changes go directly to the file.
  ///
  /// It is a process that has the file open and called ``Inspector/publish(in:allowingEdits:)`` with `true`.
  package var editor: Editor?

  /// The process that is writing the file.
  package var holder: InspectedHolder?
}

/// The details of a suite.
package struct InspectedSuite: Sendable, Hashable, Encodable {
  /// The names of the members.
  package var keys: [String]

  /// The JSON types of the members, by name.
  package var types: [String: String]

  /// A Boolean value that indicates whether the suite holds tweaks.
  package var tweaks: Bool

  /// A Boolean value that indicates whether the inspector can change the suite.
  package var editable: Bool

  /// The process that is writing the file.
  package var holder: InspectedHolder?
}
