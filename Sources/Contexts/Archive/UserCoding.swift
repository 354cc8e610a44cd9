import AppGroups
import FileSignals
import Foundation
import Signals

/// The coding of users in the archive, including users of other model versions.
struct UserCoding<User: SessionUser>: Sendable {
  /// A closure that creates a user from the archived data of another model version, or returns `nil` if it cannot.
  typealias Migrate = @Sendable (_ data: Data, _ version: Int) throws -> User?

  /// The migration, if there is one; set before the first user is decoded.
  let migrate = MutableProperty<Migrate?>(nil)
  let secrets: any SecretStore

  /// Returns the record of a user, after writing the user's secret under the given name.
  func record(of user: User, secretKey: String) throws -> ArchivedRecord {
    let payload = String(decoding: try payload(of: user), as: UTF8.self)
    guard let secret = user.secret else {
      return ArchivedRecord(id: user.id, version: User.modelVersion, payload: payload)
    }
    try secrets.write(secret, forKey: secretKey)
    return ArchivedRecord(id: user.id, version: User.modelVersion, payload: payload, secretKey: secretKey)
  }

  /// Returns a user as JSON, without the secret.
  func payload(of user: User) throws(ContextError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var open = user
    open.secret = nil
    let data = try translating(encoder.encode(open)) { (error: any Error) in
      ContextError.unencodableUser(userID: user.id, reason: "\(error)")
    }
    guard data.first == UInt8(ascii: "{") else {
      throw .unencodableUser(
        userID: user.id, reason: "its JSON is not an object. Encode its properties in a keyed container")
    }
    return data
  }

  /// Returns the user of a record, with its secret, after migrating it from another model version if necessary.
  func user(of record: ArchivedRecord) throws(ContextError) -> User {
    var user = record.version == User.modelVersion ? try decode(record) : try migrated(record)
    guard user.id == record.id else { throw .differentUser(expected: record.id, found: user.id) }
    guard let key = record.secretKey, !key.isEmpty else { return user }
    do throws(SecretStoreError) {
      guard let secret = try secrets.read(forKey: key) else { throw .missing(key: key) }
      user.secret = secret
    } catch {
      throw .secret(error)
    }
    return user
  }

  private func decode(_ record: ArchivedRecord) throws(ContextError) -> User {
    try translating(JSONDecoder().decodeExplaining(User.self, from: Data(record.payload.utf8))) { (error: any Error) in
      ContextError.undecodableUser(userID: record.id, version: record.version, reason: CodingReason.words(for: error))
    }
  }

  private func migrated(_ record: ArchivedRecord) throws(ContextError) -> User {
    var reason = "setup(authDelegate:migrate:) was called without a migration"
    if let migrate = migrate.value {
      do {
        if let user = try migrate(Data(record.payload.utf8), record.version) { return user }
        reason = "the migration returned nil"
      } catch {
        reason = "\(error)"
      }
    }
    throw .notMigrated(userID: record.id, from: record.version, to: User.modelVersion, reason: reason)
  }
}

extension UserCoding {
  /// Merges the server's changes to a user with the changes that other processes made during the renewal.
  ///
  /// The members of the outermost JSON object are compared one by one, and the secret separately. Members that the
  /// server left unchanged keep the values that other processes wrote. If both have changed a member, the server's
  /// value counts.
  ///
  /// - Parameters:
  ///   - renewal: The renewed user, with the user from before the renewal.
  ///   - theirs: The user as archived now.
  /// - Returns: The merged user.
  /// - Throws: The error of encoding or decoding.
  func merge(_ renewal: Renewal<User>, into theirs: User) throws -> User {
    let (mine, base) = (renewal.user, renewal.attempt.session.user)
    let (archived, old) = (try payload(of: theirs), try payload(of: base))
    let isSecretKept = mine.secret == base.secret
    if archived == old, !isSecretKept || theirs.secret == base.secret { return mine }
    let (new, before, now) = (
      try JSONMembers.split(payload(of: mine)), try JSONMembers.split(old), try JSONMembers.split(archived)
    )
    var members = now
    for name in Set(new.keys).union(before.keys) where new[name] != before[name] { members[name] = new[name] }
    var user = try JSONDecoder().decode(User.self, from: JSONMembers.join(members))
    user.secret = isSecretKept ? theirs.secret : mine.secret
    return user
  }

  /// Returns whether the archived user still has everything that a renewal has replaced, such as the token.
  ///
  /// - Parameters:
  ///   - theirs: The user as archived now.
  ///   - renewal: The renewal.
  /// - Returns: `false` if the session was renewed, or the user has logged in, since the renewal began.
  /// - Throws: The error of encoding.
  func hasRenewedToken(_ theirs: User, of renewal: Renewal<User>) throws -> Bool {
    let (mine, base) = (renewal.user, renewal.attempt.session.user)
    if mine.secret != base.secret, theirs.secret != base.secret { return false }
    let (new, before, now) = (
      try JSONMembers.split(payload(of: mine)), try JSONMembers.split(payload(of: base)),
      try JSONMembers.split(payload(of: theirs))
    )
    return Set(new.keys).union(before.keys).allSatisfy { new[$0] == before[$0] || now[$0] == before[$0] }
  }
}
