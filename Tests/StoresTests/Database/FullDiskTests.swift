#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import Stores

  @Suite("A database on a disk that is full, or cannot be written")
  struct FullDiskTests {
    private let disk: TemporaryDirectory
    private var url: URL { disk.file("a.sqlite") }

    init() throws {
      disk = try TemporaryDirectory()
    }

    private func shell(_ command: String) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command, "sh", disk.url.path]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw CancellationError() }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a small file system takes root"))
    func `nothing is lost, nothing is told, and writing goes on when there is space`() throws {
      // Some containers give root no right to mount.
      do { try shell(#"mount -t tmpfs -o size=1m tmpfs "$1""#) } catch { return }
      defer { #expect(throws: Never.self) { try shell(#"umount -l "$1""#) } }
      let ballast = disk.file("ballast")
      try Data(count: 500_000).write(to: ballast)
      var database: Database? = try Database(.file(url))
      try database?.write { transaction in
        try transaction.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB)")
        try transaction.execute("INSERT INTO t VALUES (1, zeroblob(10000))")
      }
      let collected = try Collected(#require(database))
      let error = databaseError {
        try database?.write { transaction in
          for _ in 0..<100 { try transaction.execute("INSERT INTO t (bytes) VALUES (randomblob(10000))") }
        }
      }
      guard case .diskFull(let failure) = error else { return #expect(error == nil) }
      #expect(failure.path == url.path && failure.code == 13)
      #expect(try database?.read { try $0.value("SELECT count(*) FROM t") } == 1)
      #expect(collected.sets.isEmpty)

      try FileManager.default.removeItem(at: ballast)
      try database?.write { try $0.execute("INSERT INTO t VALUES (2, zeroblob(10000))") }
      #expect(collected.sets.map(\.tables) == [["t": TableChanges(inserted: [2])]])
      #expect(try database?.read { try $0.value("PRAGMA integrity_check") } == "ok")

      try database?.close()
      database = nil
      try shell(#"mount -o remount,ro "$1""#)
      let refusal = databaseError { try Database(.file(url)) }
      guard case .readOnly(let reason) = refusal else { return #expect(refusal == nil) }
      #expect(reason.path == url.path)
    }
  }
#endif
