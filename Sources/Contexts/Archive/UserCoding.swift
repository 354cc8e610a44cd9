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
