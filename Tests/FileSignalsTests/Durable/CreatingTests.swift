import CLibrary
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FileSignals

@Suite(.patient) struct `Creating a file exclusively` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("value")
  }

  private func create(_ content: String) throws {
    try DurableFile.withExclusiveAccess(to: file) { file in
      try file.prepare(Data(content.utf8), durability: .process).commit(creatingOnly: true)
    }
  }

  @Test func `creates the file and leaves no other file beside it`() throws {
    try create("new")
    #expect(String(decoding: try DurableFile.read(file), as: UTF8.self) == "new")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_nlink == 1)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `fails if anything exists at the path, even a dangling link`() throws {
    try Data("old".utf8).write(to: file)
    #expect(throws: DurableFileError.alreadyExists(file)) { try create("new") }
    #expect(String(decoding: try DurableFile.read(file), as: UTF8.self) == "old")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }

  @Test func `never replaces a file that a program without a lock creates at that moment`() throws {
    // The other writer also creates exclusively, in its own way, so exactly one may succeed each time.
    let rounds = 300
    let go = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let theirs = Atomic<Int>(0)
    let path = file.path
    Thread.detachNewThread {
      for round in 0..<rounds {
        go.wait()
        // Interferes at a different moment each time.
        for _ in 0..<(round * 7 % 400) { _ = getppid() }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
          _ = write(descriptor, "theirs", 6)
          close(descriptor)
          theirs.store(round, ordering: .releasing)
        } else {
          theirs.store(-1, ordering: .releasing)
        }
        done.signal()
      }
    }
    var (won, lost) = (0, 0)
    for round in 0..<rounds {
      go.signal()
      var isOurs = true
      do {
        try create("ours")
      } catch DurableFileError.alreadyExists {
        isOurs = false
      }
      done.wait()
      let isTheirs = theirs.load(ordering: .acquiring) == round
      #expect(isOurs != isTheirs, "exactly one of the two succeeds")
      let content = String(decoding: try DurableFile.read(file), as: UTF8.self)
      #expect(content == (isOurs ? "ours" : "theirs"))
      if isOurs { won += 1 } else { lost += 1 }
      try FileManager.default.removeItem(at: file)
    }
    #expect(won + lost == rounds)
  }

  @Test func `never writes through a second name left by a killed writer`() throws {
    try create("first")
    let temporary = folder.file(".shared/value.tmp")
    #expect(link(file.path, temporary.path) == 0)
    try DurableFile.withExclusiveAccess(to: file) { file in
      let prepared = try file.prepare(Data("second".utf8), durability: .process)
      #expect(try file.read() == Data("first".utf8))
      try prepared.commit()
    }
    #expect(String(decoding: try DurableFile.read(file), as: UTF8.self) == "second")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }
}
