import FileSignals
import Foundation
import TestSupport
import Testing

@Suite(.patient) struct `The lock of a file` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("count")
  }

  private func increment() throws {
    let old = FileManager.default.fileExists(atPath: file.path) ? Int(try text(file)) ?? -1 : 0
    try DurableFile.write(Data("\(old + 1)".utf8), to: file, durability: .process)
  }

  @Test func `loses no update of many threads`() throws {
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 {
        do {
          try DurableFile.withLock(on: file) { try increment() }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try text(file) == "400")
  }

  @Test func `loses no update of many tasks that share one waiting thread`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask { [self] in try await DurableFile.withLock(on: file) { try increment() } }
      }
      try await group.waitForAll()
    }
    #expect(try text(file) == "200")
  }

  @Test func `is the same for all names of the file`() throws {
    try Data("0".utf8).write(to: file)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let detour = URL(fileURLWithPath: "\(folder.url.path)/../\(folder.url.lastPathComponent)/./count")
    try DurableFile.withLock(on: file) {
      for other in [link, detour] {
        #expect(throws: DurableFileError.reentrantLock(other)) { try DurableFile.withLock(on: other) {} }
      }
    }
  }

  @Test func `rejects a thread that would deadlock with itself, and works afterwards`() throws {
    try DurableFile.withLock(on: file) {
      #expect(throws: DurableFileError.reentrantLock(file)) { try DurableFile.withLock(on: file) {} }
      try DurableFile.withLock(on: folder.file("another")) {}
    }
    try DurableFile.withLock(on: file) {}
  }

  @Test func `is released when the closure throws`() throws {
    #expect(throws: CancellationError.self) { try DurableFile.withLock(on: file) { throw CancellationError() } }
    try DurableFile.withLock(on: file) {}
  }

  @Test func `survives the removal of its folder`() throws {
    try DurableFile.withLock(on: file) {}
    try FileManager.default.removeItem(at: folder.file(".shared"))
    try DurableFile.withLock(on: file) { try increment() }
    #expect(try text(file) == "1")
  }
}
