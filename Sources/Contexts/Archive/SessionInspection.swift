import AppGroups
package import FileSignals
package import Foundation
import Stores

/// The state of an archived session, read without its secrets.
package struct SessionInspection: Sendable {
  /// The identity of the current user, or `nil` if no user is logged in.
  package let user: String?

  /// The date at which the session expires, if the user's record names one.
  package let expiration: Date?

  /// The identities of users who were logged in earlier.
  package let formerUsers: [String]

  /// The number of changes of the archive.
  package let revision: Int

  /// The number of logins and logouts.
  package let session: Int

  /// The number that rises whenever the session begins or is renewed.
  package let generation: Int

  /// The process that used the current user's token last, and the generation of the token; `nil` if none did.
  package let renewal: (process: Int32, generation: Int)?

  /// The process that wrote the archive last; `nil` if it is unknown.
  package let provenance: Provenance?

  /// Reads an archive in a database.
  ///
  /// - Parameter database: The file.
  /// - Returns: The state; of a user, only the identity and the expiration are kept.
  /// - Throws: ``DatabaseError``.
  package static func read(database: URL) throws -> SessionInspection {
    let session = try DatabaseInspection.rows(
      database, "SELECT revision, session, generation, currentID FROM session WHERE id = 1")
    let users = try DatabaseInspection.rows(
      database, "SELECT userID, payload FROM archivedUser WHERE id >= 0 ORDER BY id")
    var contents = ArchiveContents()
    if let row = session.first {
      contents.revision = Int(row[0].int64Value ?? 0)
      contents.session = Int(row[1].int64Value ?? 0)
      contents.generation = Int(row[2].int64Value ?? 0)
      contents.currentID = row[3].stringValue
    }
    contents.users = users.map { row in
      ArchivedRecord(id: row[0].stringValue ?? "", version: 0, payload: row[1].stringValue ?? "")
    }
    return SessionInspection(contents, in: database.deletingLastPathComponent())
  }

  /// Reads an archive in a file, or returns `nil` if the content is not an archive.
  ///
  /// - Parameters:
  ///   - file: The content.
  ///   - directory: The directory of the archive.
  /// - Returns: The state.
  package static func read(file: Data, in directory: URL) -> SessionInspection? {
    tolerating(SessionInspection(try FileArchive.format.decode(file), in: directory), else: nil)
  }

  private init(_ contents: ArchiveContents, in directory: URL) {
    user = contents.currentID
    expiration = contents.currentID.flatMap { contents[$0] }.flatMap { Self.expiration(in: $0.payload) }
    formerUsers = contents.users.map(\.id).filter { $0 != contents.currentID }
    (revision, session, generation) = (contents.revision, contents.session, contents.generation)
    let lock = directory.appending(path: "archive", directoryHint: .notDirectory)
    provenance = ProvenanceRecord.find(VersionMark(revision: revision), ofFileAt: lock.path)
    do {
      let claims = RenewalClaims(url: directory.appending(path: "renewal.json", directoryHint: .notDirectory))
      renewal = try claims.claim(of: contents.currentID ?? "").map { ($0.process, $0.generation) }
    } catch {
      renewal = nil
    }
  }

  /// The names under which models usually store the end of a session.
  private static let names = ["expiration", "expires", "expiresAt", "expirationDate", "expiry"]

  private static func expiration(in payload: String) -> Date? {
    struct AnyName: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    struct Record: Decodable {
      var date: Date?
      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyName.self)
        for key in members.allKeys where SessionInspection.names.contains(key.stringValue) {
          date = try members.decodeIfPresent(Date.self, forKey: key)
        }
      }
    }
    return tolerating(try JSONDecoder().decode(Record.self, from: Data(payload.utf8)).date, else: nil)
  }
}
