import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite struct `A polled directory with a database` {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func `is observed without releasing the locks that this process holds in the database`() async throws {
    for name in ["list.sqlite", "list.sqlite-shm"] {
      try Data("old".utf8).write(to: folder.file(name))
    }
    let files = try ["list.sqlite", "list.sqlite-shm"].map { try FileHandle(forUpdating: folder.file($0)) }
    for file in files {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      #expect(fcntl(file.fileDescriptor, F_SETLK, &lock) == 0)
    }
    let before = try LockTable.files(in: folder.url, lockedBy: getpid()).sorted()
    let observer = try DirectoryObserver(folder.url, polling: .always(every: .milliseconds(5)))
    let log = Log<String>()
    let subscription = observer.sink { log.append($0.url.lastPathComponent) }
    for round in 1...3 {
      for file in files {
        try file.seekToEnd()
        try file.write(contentsOf: Data("\(round)".utf8))
      }
      try Data().write(to: folder.file("seen-\(round)"))
      await log.wait { $0.contains("seen-\(round)") }
    }
    #expect(log.all.contains("list.sqlite"))
    #expect(try LockTable.files(in: folder.url, lockedBy: getpid()).sorted() == before)
    #if os(Linux)
      #expect(before == ["list.sqlite", "list.sqlite-shm"])
    #endif
    subscription.cancel()
    for file in files { try file.close() }
  }
}
