package import Foundation

/// The details of a presence.
package struct InspectedPresence: Sendable, Hashable, Encodable {
  /// A present process.
  package struct Member: Sendable, Hashable, Encodable, Identifiable {
    /// The identifier of the announcement.
    package var id: String
    /// The identifier of the ``InspectedProcess``.
    package var process: String
    /// The process identifier.
    package var pid: Int32
    /// The name of the process.
    package var name: String
    /// The time of the announcement.
    package var since: Date
    /// A Boolean value that indicates whether the process is suspended.
    package var suspended: Bool
    /// The announced value without its redacted parts.
    package var value: InspectedValue?
    /// The places of the redacted parts, as JSON pointers.
    package var redacted: [String]?
  }

  /// The present processes, in the order of their announcements' identifiers.
  package var members: [Member]
}

/// The details of a root with environments.
package struct InspectedContainer: Sendable, Hashable, Encodable {
  /// An environment.
  package struct Environment: Sendable, Hashable, Encodable, Identifiable {
    /// The identifier.
    package var id: String
    /// The name.
    package var name: String
    /// The purpose.
    package var description: String?
    /// The date of its creation.
    package var created: Date
    /// The date of the last activation.
    package var activated: Date?
    /// The number of activations.
    package var activations: Int
    /// A Boolean value that indicates whether its files are in the root.
    package var active: Bool
    /// A Boolean value that indicates whether it is the default environment.
    package var `default`: Bool
    /// The reason why its record cannot be read.
    package var problem: String?
  }

  /// A switch in progress.
  package struct Journal: Sendable, Hashable, Encodable {
    /// The number of entries that leave or arrive.
    package var moves: Int
    /// A description.
    package var text: String
  }

  /// The identifier of the active environment.
  package var active: String

  /// The environments, in the order in which they were created.
  package var environments: [Environment]

  /// The switch in progress; `nil` if there is none.
  package var journal: Journal?

  /// The number of changes to the list, as a decimal number.
  package var revision: String
}

/// The details of a session, which never include a secret.
package struct InspectedSession: Sendable, Hashable, Encodable {
  /// The states of a session.
  package enum State: String, Sendable, Hashable, Encodable {
    /// A user is logged in.
    case `in`
    /// No user is logged in.
    case out
    /// The session of the user has expired.
    case expired
  }

  /// The process that used the token last.
  package struct Renewal: Sendable, Hashable, Encodable {
    /// The process identifier.
    package var pid: Int32
    /// The generation of the token.
    package var generation: Int
  }

  /// The state.
  package var state: State

  /// The identity of the user.
  package var user: String?

  /// The date at which the session expires, if the user's record names one.
  package var expires: Date?

  /// The time of the last change of the archive.
  package var activity: Date?

  /// The number of users who were logged in earlier.
  package var former: Int

  /// The number of logins and logouts.
  package var number: Int

  /// The number of logins and renewals.
  package var generation: Int

  /// The process that used the token last.
  package var renewal: Renewal?

  /// The process that is renewing the session or writing the archive.
  package var holder: InspectedHolder?
}

/// The details of a tweak.
package struct InspectedTweak: Sendable, Hashable, Encodable {
  /// The answer of a provider.
  package struct Answer: Sendable, Hashable, Encodable {
    /// The outcomes of asking a provider.
    package enum Outcome: String, Sendable, Hashable, Encodable {
      /// The provider has the tweak.
      case value
      /// The provider does not have the tweak.
      case absent
      /// The provider's tweak cannot be used.
      case error
    }

    /// The provider, a path relative to the inspected directory.
    package var provider: String
    /// The outcome.
    package var outcome: Outcome
    /// The value, redacted if it is secret, or the reason of an error.
    package var text: String?
    /// A Boolean value that indicates whether the answer decides.
    package var winner: Bool
  }

  /// The feature.
  package var feature: String

  /// The variable of the feature.
  package var variable: String

  /// The title.
  package var title: String

  /// The description of its effect.
  package var details: String?

  /// The group in which it is shown.
  package var group: String

  /// The type: `bool`, `int`, `double` or `string`.
  package var type: String

  /// The provider of the value.
  package var source: String

  /// A Boolean value that indicates whether the value must not be shown.
  package var secret: Bool

  /// A Boolean value that indicates whether a suite overrides the value.
  package var overridden: Bool

  /// A Boolean value that indicates whether the inspector can override the value.
  package var editable: Bool

  /// The answers of all providers, the most important first.
  package var trace: [Answer]
}

/// The details of a lock that a process holds.
package struct InspectedLock: Sendable, Hashable, Encodable {
  /// The mode: `write` or `read`.
  package var mode: String

  /// The mechanism: `flock`, `posix` or `ofd`.
  package var kind: String

  /// The purpose, such as `writing settings.json`.
  package var purpose: String

  /// The processes that hold the lock.
  package var holders: [InspectedHolder]

  /// The processes that wait for it.
  package var waiters: [InspectedHolder]

  /// The time at which the inspector first saw the lock.
  package var since: Date?
}

/// A process in its role as the holder of a lock.
package struct InspectedHolder: Sendable, Hashable, Encodable {
  /// The process identifier.
  package var pid: Int32

  /// The name.
  package var name: String

  /// The identifier of the ``InspectedProcess``.
  package var process: String

  /// A Boolean value that indicates whether a signal or a debugger has stopped the process.
  package var stopped: Bool
}
