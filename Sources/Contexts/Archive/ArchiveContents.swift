/// The content of an archive: the current user and all earlier users.
struct ArchiveContents: Codable, Hashable, Sendable {
  /// The number of writes of the archive.
  var revision = 0
  /// The number of the session.
  ///
  /// Each login and each logout raises it.
  ///
  /// It also rises above every number that a process may remember from an archive that was lost.
  var session = 0
  /// The number that rises whenever a session begins or is renewed.
  var generation = 0
  /// The identity of the current user.
  var currentID: String?
  /// All users, in the order in which they first logged in.
  var users: [ArchivedRecord] = []
  /// The records that could not be decoded when their user logged in again.
  var kept: [ArchivedRecord] = []

  subscript(id: String) -> ArchivedRecord? {
    users.first { $0.id == id }
  }

  /// Replaces the user with the same identity, or appends a new one.
  mutating func put(_ record: ArchivedRecord) {
    if let index = users.firstIndex(where: { $0.id == record.id }) {
      users[index] = record
    } else {
      users.append(record)
    }
  }

  /// Counts a login or a logout.
  ///
  /// The revision must already have been raised.
  mutating func beginSession() { session = max(session + 1, revision) }

  /// The names of the secrets that the archive refers to.
  var secretKeys: Set<String> {
    Set((users + kept).compactMap(\.secretKey)).subtracting([""])
  }
}

/// An archived user.
struct ArchivedRecord: Codable, Hashable, Sendable {
  var id: String
  /// The version of the model.
  var version: Int
  /// The user as JSON, or an empty string if only the identity is kept.
  var payload: String
  /// The name of the user's secret, if there is one.
  ///
  /// A user who is not the current one has a name only if the session is kept. It is empty if the session has no
  /// secret.
  var secretKey: String?
}
