/// Everything that a user interface shows, as one value of one moment.
///
/// All parts belong to the same user of the same environment; see ``NotesApp/screen``.
public struct Screen: Codable, Equatable, Sendable {
  /// A process, as it announces itself.
  public struct Process: Codable, Equatable, Sendable {
    /// The value that the process has announced.
    public let role: String
    /// The identifier of the process.
    public let pid: Int32
  }

  /// The flags that the page needs.
  public struct Flags: Codable, Equatable, Sendable {
    /// The largest number of characters in a note.
    public let maximumLength: Int
    /// A Boolean value that indicates whether notes can be pinned.
    public let allowsPinning: Bool
    /// A text above the list.
    public let banner: String
  }

  /// The name of the active environment.
  public let environment: String
  /// The names of all environments.
  public let environments: [String]
  /// The current user, or `nil`.
  public let user: String?
  /// The state of the session.
  public let session: String
  /// The notes of the user.
  public let notes: [Note]
  /// The draft of the user, as last saved.
  public let draft: String
  /// The settings.
  public let settings: Settings
  /// The flags.
  public let flags: Flags
  /// The newest lines of the history.
  public let activity: [Activity]
  /// The number of events of each kind, over the whole history.
  public let counts: [String: Int]
  /// The processes that are present.
  public let processes: [Process]
}
