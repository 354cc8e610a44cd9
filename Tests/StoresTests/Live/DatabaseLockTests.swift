#if DEBUG
  import FileSignals
  import Foundation
  import KqueueModel
  import Signals
  import SignalsTesting
  import TestSupport
  import Testing

  @testable import Stores

  /// Closing any descriptor of a file releases all POSIX locks that the process has on it, and SQLite's are such locks.
  @Suite("SQLite's locks", .patient, .eachKernel)
  struct DatabaseLockTests {
    private let directory: TemporaryDirectory
    private var url: URL { directory.file("list.sqlite") }

    init() throws {
      directory = try TemporaryDirectory()
    }

    private func locked() throws -> [String] {
      try LockTable.files(in: directory.url, lockedBy: getpid()).sorted()
    }

    /// Opens a connection like another component of the process, and begins to write.
    private func writer() throws -> SQLiteConnection {
      let connection = try DatabaseFile(
        location: .file(url), schema: nil, durability: .process, busyTimeout: .seconds(60)
      ).connect()
      try connection.begin()
      return connection
    }

    @Test func `observing a database and closing it leaves the locks of other connections in place`() async throws {
      let database = try liveDatabase(.file(url))
      let changes = Recorder<ChangeSet>()
      let subscription = database.changes.sink { changes.record($0) }
      let other = try writer()
      try other.execute("INSERT INTO errand VALUES (1, 'bread', 0)")
      try other.commit()
      try await changes.wait { $0.last?.origin == .foreign }
      try other.begin()
      let before = try locked()
      subscription.cancel()
      try database.close()
      #expect(try locked() == before)
      #if os(Linux)
        #expect(before == ["list.sqlite", "list.sqlite-shm"])
      #endif
      try other.commit()
      other.close()
    }

    @Test func `copying and inspecting a database leaves its locks in place`() throws {
      let database = try liveDatabase(.file(url))
      try database.write { try $0.put(Errand(id: 1)) }
      let other = try writer()
      let before = try locked()
      try database.backup(to: directory.file("copy.sqlite"))
      #expect(try DatabaseInspection.read(url).tables.count == 3)
      _ = try Database(.file(url), access: .readOnly).read { try $0.count(Errand.self) }
      #expect(try locked() == before)
      try other.commit()
      other.close()
    }
  }
#endif
