import Foundation
import Signals
import TestSupport
import Testing

@testable import FileSignals

@Suite(.patient) struct `Locks that are removed or awaited with a time limit` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("secret")
  }

  private func locks() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file(".shared").path)
  }

  @Test func `never admit two threads to a file whose lock is removed repeatedly`() {
    let holders = MutableProperty(0)
    withThreads(6) { index in
      for round in 0..<50 {
        do {
          let exclusive: ExclusiveFile
          if (index + round) % 2 == 0 {
            exclusive = try ExclusiveFile(locking: file)
          } else {
            guard case .locked(let locked) = try ExclusiveFile.lock(file, within: .seconds(60)) else {
              Issue.record("The lock is busy")
              return
            }
            exclusive = locked
          }
          #expect(
            holders.modify {
              $0 += 1; return $0
            } == 1)
          try exclusive.prepare(Data("\(index)".utf8), durability: .process).commit()
          holders.modify { $0 -= 1 }
          if round % 3 == 0 { exclusive.unlock() } else { try exclusive.remove() }
        } catch {
          Issue.record(error)
        }
      }
    }
  }

  @Test func `are removed with their file`() throws {
    try DurableFile.write(Data("1".utf8), to: file)
    #expect(try locks() == ["secret.lock"])
    try DurableFile.remove(file)
    #expect(try locks() == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try DurableFile.remove(file)
    #expect(try locks() == [])
  }

  @Test func `are removed with a killed writer's leftovers if their file is gone, and stay otherwise`() throws {
    try DurableFile.write(Data("1".utf8), to: file)
    for name in ["gone.lock", "killed.lock", "killed.tmp"] { try Data().write(to: folder.file(".shared/\(name)")) }
    try DurableFile.removeUnusedLocks(in: folder.url)
    #expect(try locks() == ["secret.lock"])
    #expect(try text(file) == "1")
  }

  @Test func `stay while a stopped process holds them, without preventing the removal of others`() async throws {
    let peer = try PeerProcess()
    try await peer.send("hold \(file.path)")
    peer.signal(SIGSTOP)
    let directory = folder.file(".shared/directory.lock")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    for index in 1...8 { try Data().write(to: folder.file(".shared/gone \(index).lock")) }
    let folder = folder.url
    _ = try await onThread {
      let error = #expect(throws: DurableFileError.self) { try DurableFile.removeUnusedLocks(in: folder) }
      if case .notARegularFile = error {} else { Issue.record("\(String(describing: error))") }
    }
    #expect(try locks().sorted() == ["directory.lock", "secret.lock"])
    try await peer.kill()
  }

  @Test func `time out while another process holds them, and are acquired when it ends`() async throws {
    let peer = try PeerProcess()
    try await peer.send("hold \(file.path)")
    peer.signal(SIGSTOP)
    let file = file
    _ = try await onThread {
      let error = #expect(throws: DurableFileError.self) {
        try DurableFile.withLock(on: file, within: .milliseconds(50)) {}
      }
      guard case .lockTimeout(file, .milliseconds(50), let holder?) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(holder.processIdentifier == peer.identifier)
      #expect(holder.description == "Peer (process \(peer.identifier), stopped)")
    }
    try await peer.kill()
    try await onThread { try DurableFile.withLock(on: file, within: .seconds(60)) {} }
  }

  @Test func `are replaced for all other processes when broken`() async throws {
    let peer = try PeerProcess()
    try await peer.send("hold \(file.path)")
    peer.signal(SIGSTOP)
    let file = file
    try await onThread {
      guard case .busy(let place) = try ExclusiveFile.lock(file, within: .zero) else {
        Issue.record("The lock is not held")
        return
      }
      try place.breakLock()
      guard case .locked(let exclusive) = try ExclusiveFile.lock(file, within: .zero) else {
        Issue.record("The lock was not broken")
        return
      }
      #expect(try !place.isCurrent)
      // The second call must not break the lock of another holder.
      try place.breakLock()
      #expect(try exclusive.descriptors.isCurrent)
      exclusive.unlock()
    }
    peer.signal(SIGCONT)
    try await peer.send("release")
    try await peer.send("hold \(file.path)")
    try await peer.send("release")
  }
}
