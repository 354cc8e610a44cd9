#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import Stores

  @Suite("Full and read-only disks")
  struct FullDiskTests {
    @Test(.asRoot)
    func `a full disk loses no commit and reports no change, and a read-only disk is an error`() async throws {
      try await withDisk(#"mount -t tmpfs -o size=1m tmpfs "$1""#) { disk in
        let url = disk.appending(path: "a.sqlite")
        try fill(disk, url)
        try await remount(disk, readOnly: true)
        let refusal = databaseError { try Database(.file(url)) }
        guard case .readOnly(let reason) = refusal else { return recordUnexpected(refusal) }
        #expect(reason.path == url.path)
      }
    }

    private func fill(_ disk: URL, _ url: URL) throws {
      let ballast = disk.appending(path: "ballast")
      try Data(count: 500_000).write(to: ballast)
      let database = try Database(.file(url))
      try database.write { transaction in
        try transaction.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB)")
        try transaction.execute("INSERT INTO t VALUES (1, zeroblob(10000))")
      }
      let collected = Collected(database)
      let error = databaseError {
        try database.write { transaction in
          for _ in 0..<100 { try transaction.execute("INSERT INTO t (bytes) VALUES (randomblob(10000))") }
        }
      }
      guard case .diskFull(let failure) = error else { return recordUnexpected(error) }
      #expect(failure.path == url.path && failure.code == 13)
      #expect(try database.read { try $0.value("SELECT count(*) FROM t") } == 1)
      #expect(collected.sets.isEmpty)

      try FileManager.default.removeItem(at: ballast)
      try database.write { try $0.execute("INSERT INTO t VALUES (2, zeroblob(10000))") }
      #expect(collected.sets.map(\.tables) == [["t": TableChanges(inserted: [2])]])
      #expect(try database.read { try $0.value("PRAGMA integrity_check") } == "ok")
    }
  }
#endif
