import FileSignals
import Foundation
import Signals
import Stores

/// An archive in a database.
final class DatabaseArchive: SessionArchive {
  private struct SessionRow: StoreModel, Hashable {
    static let table = TableSpec("session")
    var id: Int
    var revision: Int
    var session: Int
    var generation: Int
    var currentID: String?
  }

  private struct UserRow: StoreModel, Hashable {
    static let table = TableSpec("archivedUser")
    /// The position among the users or, if negative, among the kept records.
    var id: Int
    var userID: String
    var version: Int
    var payload: String
    var secretKey: String?

    init(id: Int, _ record: ArchivedRecord) {
      self.id = id
      userID = record.id
      version = record.version
      payload = record.payload
      secretKey = record.secretKey
    }

    var record: ArchivedRecord {
      ArchivedRecord(id: userID, version: version, payload: payload, secretKey: secretKey)
    }
  }

  private static let schema = Schema(version: 1, models: [SessionRow.self, UserRow.self])

  let url: URL
  /// A Boolean value that indicates whether the archive is used only while no process switches environments.
  private let isInScope: Bool
  private let database = Guarded<Database?>(nil)

  init(url: URL, isInScope: Bool = false) {
    self.url = url
    self.isInScope = isInScope
  }

  var path: String { url.path }

  func read() throws -> ArchiveContents {
    let contents: ArchiveContents = try opened().read { transaction in
      guard let session = try transaction.find(SessionRow.self, id: 1) else { return ArchiveContents() }
      let rows = try transaction.all(UserRow.self).sorted { $0.id < $1.id }
      return ArchiveContents(
        revision: session.revision, session: session.session, generation: session.generation,
        currentID: session.currentID,
        users: rows.filter { $0.id >= 0 }.map(\.record), kept: rows.filter { $0.id < 0 }.reversed().map(\.record))
    }
    return try contents.checked()
  }

  func write(_ contents: ArchiveContents) throws {
    do {
      _ = try read()
    } catch let error where isLasting(error) {
      try putAside()
    }
    // Replaced or deleted tokens must not remain in free pages or in the log.
    try opened().writeErasing { transaction in
      let session = SessionRow(
        id: 1, revision: contents.revision, session: contents.session, generation: contents.generation,
        currentID: contents.currentID)
      try transaction.put(session)
      let rows =
        contents.users.enumerated().map { UserRow(id: $0.offset, $0.element) }
        + contents.kept.enumerated().map { UserRow(id: -1 - $0.offset, $0.element) }
      let old = Dictionary(uniqueKeysWithValues: try transaction.all(UserRow.self).map { ($0.id, $0) })
      for row in rows where old[row.id] != row { try transaction.put(row) }
      for id in Set(old.keys).subtracting(rows.map(\.id)) { try transaction.delete(UserRow.self, id: id) }
    }
  }

  func isLasting(_ error: any Error) -> Bool {
    error is ArchiveNumberError || (error as? DatabaseError)?.isBeyondReading ?? false
  }

  func close() {
    let old = database.withLock { $0.take() }
    // Closing fails only inside a transaction of this database, where this is never called.
    tolerating { try old?.close() }
  }

  private func opened() throws -> Database {
    try database.withLock { database in
      if let database { return database }
      let opened =
        isInScope
        ? try Database(steadily: url, schema: Self.schema, durability: .storage)
        : try Database(.file(url), schema: Self.schema, durability: .storage)
      // A process that was killed after a deletion may have left the deleted content in the log.
      opened.emptyLog()
      database = opened
      return opened
    }
  }

  /// Renames an unusable file, together with its log.
  private func putAside() throws {
    close()
    let place = try PutAside.place(for: url)
    for suffix in ["", "-wal", "-shm"] where try FileStatus(path: url.path + suffix) != nil {
      try FileManager.default.moveItem(atPath: url.path + suffix, toPath: place.path + suffix)
    }
  }
}

extension DatabaseError {
  /// A Boolean value that indicates whether the file will stay unreadable.
  fileprivate var isBeyondReading: Bool {
    switch self {
    case .notADatabase, .corrupt, .foreignDatabase, .schema, .model: true
    default: false
    }
  }
}
