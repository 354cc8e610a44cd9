/// Everything that is archived: who is logged in, and who has been.
struct ArchiveContents: Codable, Hashable, Sendable {
  /// How often the archive has been written.
  var revision = 0
  /// Raised by each login and each logout, also beyond what anybody may remember of an archive that was lost.
  var session = 0
  /// Raised whenever a session begins or is renewed.
  var generation = 0
  /// Who is logged in.
  var currentID: String?
  /// All users, in the order in which they first logged in.
  var users: [ArchivedRecord] = []
  /// What could not be decoded when its user logged in again.
  var kept: [ArchivedRecord] = []

  subscript(id: String) -> ArchivedRecord? {
    users.first { $0.id == id }
  }

  /// Puts a user in the place of the one with the same identity, or behind the others.
  mutating func put(_ record: ArchivedRecord) {
    if let index = users.firstIndex(where: { $0.id == record.id }) {
      users[index] = record
    } else {
      users.append(record)
    }
  }

  /// Counts a login or a logout, when the revision has been raised.
  mutating func beginSession() { session = max(session + 1, revision) }

  /// The secrets that somebody needs.
  var secretKeys: Set<String> { Set(users.compactMap(\.secretKey) + kept.compactMap(\.secretKey)) }
}

/// A user as written down.
struct ArchivedRecord: Codable, Hashable, Sendable {
  var id: String
  /// The version of the model.
  var version: Int
  /// The user as JSON; empty if nothing but the identity is kept.
  var payload: String
  /// Under which key the user's secret is kept, if there is one.
  var secretKey: String?
}
