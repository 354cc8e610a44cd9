public import Foundation

/// The details of a presence.
public struct InspectedPresence: Sendable, Hashable, Codable {
  /// A present process.
  public struct Member: Sendable, Hashable, Codable, Identifiable {
    /// The identifier of the announcement.
    public var id: String
    /// The identifier of the ``InspectedProcess``.
    public var process: String
    /// The process identifier.
    public var pid: Int32
    /// The name of the process.
    public var name: String
    /// The time of the announcement.
    public var since: Date
    /// A Boolean value that indicates whether the process is suspended.
    public var suspended: Bool
    /// The announced value without its redacted parts.
    public var value: InspectedValue?
    /// The places of the redacted parts, as JSON pointers.
    public var redacted: [String]?
  }

  /// The present processes, in the order of their announcements' identifiers.
  public var members: [Member]
}

/// The details of a root with environments.
public struct InspectedContainer: Sendable, Hashable, Codable {
  /// An environment.
  public struct Environment: Sendable, Hashable, Codable, Identifiable {
    /// The identifier.
    public var id: String
    /// The name.
    public var name: String
    /// The purpose.
    public var description: String?
    /// The date of its creation.
    public var created: Date
    /// The date of the last activation.
    public var activated: Date?
    /// The number of activations.
    public var activations: Int
    /// A Boolean value that indicates whether its files are in the root.
    public var active: Bool
    /// A Boolean value that indicates whether it is the default environment.
    public var `default`: Bool
    /// The reason why its record cannot be read.
    public var problem: String?
  }

  /// A switch in progress.
  public struct Journal: Sendable, Hashable, Codable {
    /// The number of entries that leave or arrive.
    public var moves: Int
    /// A description.
    public var text: String
  }

  /// The identifier of the active environment.
  public var active: String

  /// The environments, in the order in which they were created.
  public var environments: [Environment]

  /// The switch in progress; `nil` if there is none.
  public var journal: Journal?

  /// The number of changes to the list, as a decimal number.
  public var revision: String
}

/// The details of a session, which never include a secret.
public struct InspectedSession: Sendable, Hashable, Codable {
  /// The states of a session.
  public enum State: String, Sendable, Hashable, Codable {
    /// A user is logged in.
    case `in`
    /// No user is logged in.
    case out
    /// The session of the user has expired.
    case expired
  }

  /// The process that used the token last.
  public struct Renewal: Sendable, Hashable, Codable {
    /// The process identifier.
    public var pid: Int32
    /// The generation of the token.
    public var generation: Int
  }

  /// The state.
  public var state: State

  /// The identity of the user.
  public var user: String?

  /// The date at which the session expires, if the user's record names one.
  public var expires: Date?

  /// The time of the last change of the archive.
  public var activity: Date?

  /// The number of users who were logged in earlier.
  public var former: Int

  /// The number of logins and logouts.
  public var number: Int

  /// The number of logins and renewals.
  public var generation: Int

  /// The process that used the token last.
  public var renewal: Renewal?

  /// The process that is renewing the session or writing the archive.
  public var holder: InspectedHolder?
}

/// The details of a tweak.
public struct InspectedTweak: Sendable, Hashable, Codable {
  /// The answer of a provider.
  public struct Answer: Sendable, Hashable, Codable {
    /// The outcomes of asking a provider.
    public enum Outcome: String, Sendable, Hashable, Codable {
      /// The provider has the tweak.
      case value
      /// The provider does not have the tweak.
      case absent
      /// The provider's tweak cannot be used.
      case error
    }

    /// The provider, a path relative to the inspected directory.
    public var provider: String
    /// The outcome.
    public var outcome: Outcome
    /// The value, redacted if it is secret, or the reason of an error.
    public var text: String?
    /// A Boolean value that indicates whether the answer decides.
    public var winner: Bool
  }

  /// The feature.
  public var feature: String

  /// The variable of the feature.
  public var variable: String

  /// The title.
  public var title: String

  /// The description of its effect.
  public var details: String?

  /// The group in which it is shown.
  public var group: String

  /// The type: `bool`, `int`, `double` or `string`.
  public var type: String

  /// The provider of the value.
  public var source: String

  /// A Boolean value that indicates whether the value must not be shown.
  public var secret: Bool

  /// A Boolean value that indicates whether a suite overrides the value.
  public var overridden: Bool

  /// A Boolean value that indicates whether the inspector can override the value.
  public var editable: Bool

  /// The answers of all providers, the most important first.
  public var trace: [Answer]
}

/// The details of a lock that a process holds.
public struct InspectedLock: Sendable, Hashable, Codable {
  /// The mode: `write` or `read`.
  public var mode: String

  /// The mechanism: `flock`, `posix` or `ofd`.
  public var kind: String

  /// The purpose, such as `writing settings.json`.
  public var purpose: String

  /// The processes that hold the lock.
  public var holders: [InspectedHolder]

  /// The processes that wait for it.
  public var waiters: [InspectedHolder]

  /// The time at which the inspector first saw the lock.
  public var since: Date?
}
