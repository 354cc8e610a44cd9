import CLibrary
import Foundation
import TestSupport
import Testing

@testable import Containers

// The locks are those of another table of descriptors, which only Linux has.
#if os(Linux)
  @Suite("Snapshots of database files", .patient)
  struct FileSnapshotTests {
    private let directory: TemporaryDirectory
    private let bank: RandomBank
    private let name = EntryPath("bank.db")

    init() throws {
      directory = try TemporaryDirectory()
      bank = RandomBank(directory.file("bank.db"))
    }

    /// Calls a closure with an open snapshot of the database.
    private func withSnapshot<Result>(
      _ body: @escaping (FileSnapshot, SeparateDescriptors, Folder) throws(AppContainerError) -> Result
    ) throws -> Result {
      try SeparateDescriptors.run(staging: nil) { [directory, name] descriptors throws(AppContainerError) in
        let folder = try Folder(directory.url)
        let snapshot = try FileSnapshot.open(name, in: folder, with: descriptors, within: .milliseconds(50))
        return try body(snapshot, descriptors, folder)
      }
    }

    private func outcome(_ database: RawDatabase, _ statements: String) -> [String] {
      do {
        return try database.run(statements)
      } catch {
        return ["\(error)"]
      }
    }

    @Test func `writers go on during a snapshot of a database with a log, and only checkpoints wait`() throws {
      try bank.create(.wal)
      let writer = try RawDatabase(bank.url, busyTimeout: 0)
      try writer.run("UPDATE account SET amount = amount + 1 WHERE id = 1")
      let (sizes, results) = try withSnapshot { snapshot, descriptors, folder throws(AppContainerError) in
        #expect(snapshot.parts.map(\.name.text) == ["bank.db", "bank.db-wal"])
        let results = descriptors.onCaller {
          [
            outcome(writer, "UPDATE account SET amount = amount - 1 WHERE id = 1"),
            outcome(writer, "PRAGMA wal_checkpoint(TRUNCATE)"),
            outcome(writer, "UPDATE account SET amount = amount + 0"),
          ]
        }
        var sizes: [Int] = []
        var checksums: [UInt32?] = []
        for part in snapshot.parts {
          var size = 0
          checksums.append(try part.read(in: folder) { (bytes) throws(AppContainerError) in size += bytes.count })
          sizes.append(size)
        }
        #expect(try snapshot.isIntact(checksums))
        return (sizes, results)
      }
      #expect(results.map { $0.first ?? "done" } == ["done", "1", "done"])
      #expect(sizes.allSatisfy { $0 > 0 })
      #expect(try writer.run("PRAGMA wal_checkpoint(TRUNCATE)").first == "0")
    }

    /// A writer that had started a log again before the locks were acquired replaces its header, and then the records.
    @Test func `a log whose header is replaced while it is read is noticed`() throws {
      try bank.create(.wal)
      let writer = try RawDatabase(bank.url, busyTimeout: 0)
      // The last connection removes the log.
      defer { withExtendedLifetime(writer) {} }
      try writer.run("UPDATE account SET amount = amount + 1")
      let log = URL(filePath: bank.url.path + "-wal")
      func isIntact(whileReading change: @escaping () -> Void) throws -> Bool {
        try withSnapshot { snapshot, descriptors, folder throws(AppContainerError) in
          var checksums: [UInt32?] = []
          for part in snapshot.parts {
            checksums.append(try part.read(in: folder) { (_) throws(AppContainerError) in })
            if part.name != name { descriptors.onCaller(change) }
          }
          #expect(checksums.count == 2)
          return try snapshot.isIntact(checksums)
        }
      }
      #expect(try isIntact { _ = outcome(writer, "UPDATE account SET amount = amount + 1") })
      var header = try Data(contentsOf: log).prefix(32)
      header[16] ^= 1  // The first salt.
      #expect(
        try !isIntact {
          let number = open(log.path, O_WRONLY | O_CLOEXEC)
          header.withUnsafeBytes { _ = pwrite(number, $0.baseAddress, $0.count, 0) }
          close(number)
        })
    }

    @Test func `a writer without a log waits for a snapshot, and its journal is left out`() throws {
      try bank.create(.delete)
      let writer = try RawDatabase(bank.url, busyTimeout: 0)
      try writer.run("BEGIN IMMEDIATE; UPDATE account SET amount = amount + 1")
      #expect(FileManager.default.fileExists(atPath: bank.url.path + "-journal"))
      try withSnapshot { snapshot, descriptors, _ throws(AppContainerError) in
        #expect(snapshot.parts.map(\.name.text) == ["bank.db"])
        #expect(descriptors.onCaller { outcome(writer, "COMMIT") } == ["database is locked"])
        #expect(try snapshot.isIntact([0]))
      }
      try writer.run("COMMIT")
    }

    @Test func `a first connection to a database at rest is noticed, because it may use the log`() throws {
      try bank.create(.wal)
      #expect(!FileManager.default.fileExists(atPath: bank.url.path + "-shm"))
      try withSnapshot { snapshot, descriptors, _ throws(AppContainerError) in
        #expect(try snapshot.isIntact([0]))
        let url = bank.url
        _ = descriptors.onCaller { Result { try RawDatabase(url).run("UPDATE account SET amount = 0") } }
        #expect(try !snapshot.isIntact([0]))
      }
    }

    @Test func `an exclusive transaction is waited for, and then reported`() throws {
      try bank.create(.delete)
      let writer = try RawDatabase(bank.url)
      try writer.run("BEGIN EXCLUSIVE")
      let error = #expect(throws: AppContainerError.self) { try withSnapshot { _, _, _ in } }
      guard case .heldOpen(let reason) = error else { return unexpected(error) }
      #expect(reason.contains("bank.db locked or changed it for 0.05 seconds"))
    }

    @Test func `without a table of its own, a copy refuses a file that this process has locked`() throws {
      let url = directory.file("plain.lock")
      try Data("text".utf8).write(to: url)
      let number = open(url.path, O_RDWR | O_CLOEXEC)
      defer { close(number) }
      let descriptors = SeparateDescriptors(thread: nil)
      let folder = try Folder(directory.url)
      _ = try FileSnapshot.open(EntryPath("plain.lock"), in: folder, with: descriptors, within: .zero)
      #expect(RecordLock.acquire(number))
      let error = #expect(throws: AppContainerError.self) {
        try FileSnapshot.open(EntryPath("plain.lock"), in: folder, with: descriptors, within: .zero)
      }
      guard case .heldOpen(let reason) = error else { return unexpected(error) }
      #expect(reason.contains("this process has locked"))
    }
  }
#endif
