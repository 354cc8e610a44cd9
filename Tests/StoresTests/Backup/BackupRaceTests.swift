import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Backups to one destination", .patient)
struct BackupRaceTests {
  private let directory: TemporaryDirectory
  private var copy: URL { directory.file("copies/copy.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
    _ = try directory.makeFolder("copies")
  }

  /// Creates a database whose copy takes several steps.
  private func database(_ name: String, rows: Int) throws -> Database {
    let database = try Database(.file(directory.file(name)), schema: Schema(version: 1, models: [Errand.self]))
    try database.write { transaction throws in
      for id in 1...rows { try transaction.put(Errand(id: id, title: String(repeating: "x", count: 2000))) }
    }
    return database
  }

  private func rowsOfCopy() throws -> Int {
    let restored = try Database(.file(copy), access: .immutable)
    #expect(try restored.integrityCheck() == [])
    return try restored.read { try $0.count(Errand.self) }
  }

  @Test func `a copy that overlaps with another one is complete when it is reported`() throws {
    let (first, second) = (try database("first.sqlite", rows: 400), try database("second.sqlite", rows: 700))
    let (begun, proceed, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let failure = Shared<String?>(nil)
    let hasBegun = Shared(false)
    try first.backup(to: copy) { [copy] _ in
      if hasBegun.value { return }
      hasBegun.value = true
      Thread.detachNewThread {
        let isWaiting = Shared(true)
        do {
          try second.backup(to: copy) { _ in
            guard isWaiting.value else { return }
            isWaiting.value = false
            begun.signal()
            proceed.wait()
          }
        } catch {
          failure.value = "\(error)"
        }
        done.signal()
      }
      begun.wait()
    }
    // The other copy has only begun.
    #expect(try rowsOfCopy() == 400)
    proceed.signal()
    done.wait()
    #expect(failure.value == nil)
    #expect(try rowsOfCopy() == 700)
    #expect(try directory.names(in: "copies") == ["copy.sqlite"])
  }

  @Test func `copies of many threads to one destination are complete`() async throws {
    let database = try database("source.sqlite", rows: 400)
    try await onThread { [copy] in
      let failures = Kept<String>()
      withThreads(4) { _ in
        do {
          for _ in 0..<5 {
            try database.backup(to: copy)
            let restored = try SQLiteConnection(path: copy.path, access: .immutable, busyTimeout: .zero)
            defer { restored.close() }
            let count = try restored.value("SELECT count(*) FROM errand")
            if count != 400 { failures.keep("\(count) rows") }
          }
        } catch {
          failures.keep("\(error)")
        }
      }
      #expect(failures.values == [])
    }
    #expect(try directory.names(in: "copies") == ["copy.sqlite"])
  }

  @Test func `what a killed copy left is removed by the next one, and a running copy is left alone`() async throws {
    let database = try database("source.sqlite", rows: 400)
    let peers = [try PeerProcess(), try PeerProcess()]
    for peer in peers {
      Task { [path = database.location.path, copy] in try await peer.send("backup-stop \(path) \(copy.path)") }
      try await peer.events.wait(for: "copying")
    }
    let running = try directory.names(in: "copies")
    #expect(running.count == 2)
    try await database.backup(to: directory.file("copies/other.sqlite"))
    #expect(try directory.names(in: "copies") == running + ["other.sqlite"])
    try await peers[0].kill()
    try await database.backup(to: directory.file("copies/other.sqlite"))
    #expect(try directory.names(in: "copies").count == 2)
    try await peers[1].kill()
    try await database.backup(to: copy)
    #expect(try directory.names(in: "copies") == ["copy.sqlite", "other.sqlite"])
    #expect(try rowsOfCopy() == 400)
  }

  @Test func `a copy through a link replaces the file to which it leads`() throws {
    let database = try database("source.sqlite", rows: 10)
    let link = directory.file("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: copy)
    for _ in 1...2 {
      try database.backup(to: link)
      #expect(try FileStatus(path: link.path, followsLinks: false)?.kind == .link)
      #expect(try rowsOfCopy() == 10)
    }
    // A database in use behind the link is found, too.
    let used = try Database(.file(copy))
    #expect(databaseError { try database.backup(to: link) } != nil)
    #expect(try used.read { try $0.count(Errand.self) } == 10)
  }
}
