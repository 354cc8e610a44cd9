import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Hazards of locks: holders and durations", .patient)
struct LockHazardTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `updates wait for a frozen lock holder, and continue when it resumes`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let frozen = try await fixture.peer()
    try await frozen.send("hold \(file.url.path)")
    frozen.signal(SIGSTOP)
    let update = Task { try await file.update { $0 += 1 } }
    let others = try await fixture.peer()
    try await others.send("open-counter counter.json")
    async let theirs = others.send("increment counter.json 1")
    // Reading waits for no process.
    for _ in 0..<100 { #expect(try file.read() == 1) }
    #expect(try fixture.counter().value == 1)
    frozen.signal(SIGCONT)
    try await frozen.send("release")
    try await update.value
    _ = try await theirs
    try await file.firstValue { $0 == 3 }
  }

  @Test
  func `updates wait for a frozen lock holder, and continue when it dies`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let frozen = try await fixture.peer()
    try await frozen.send("hold \(file.url.path)")
    frozen.signal(SIGSTOP)
    let update = Task { try await file.update { $0 += 1 } }
    #expect(try file.read() == 1)
    try await frozen.kill()
    try await update.value
    #expect(file.value == 2)
  }

  @Test
  func `a child process inherits neither the lock nor any other descriptor`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let holder = try await fixture.peer()
    try await holder.send("open-counter counter.json")
    try await holder.send("hold \(file.url.path)")
    let child = try await pid_t(holder.send("child")) ?? 0
    defer { kill(child, SIGKILL) }
    #if os(Linux)
      // Descriptors left open by the tests are inherited; those of the library are not.
      let folder = "/proc/\(child)/fd"
      let inherited = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
        do {
          return try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
          // The program that is being loaded has closed it.
          return nil as String?
        }
      }
      #expect(inherited.filter { $0.contains(fixture.path) || $0.contains("notify") } == [])
    #endif
    holder.signal(SIGKILL)
    // Waits for the child's end, a minute later, if the child holds the lock, too.
    try await file.update { $0 += 1 }
    #expect(file.value == 2)
    #expect(kill(child, 0) == 0, "the child is still running")
  }

  @Test
  func `opening and closing the lock's own file does not release the lock`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let lock = fixture.files.appending(path: ".shared/counter.json.lock")
    let peer = try await fixture.peer()
    try await peer.send("open-counter counter.json")
    let theirs = try await onThread {
      try DurableFile.withLock(on: file.url) {
        // Closing any descriptor of a file releases all locks of the other kind that the process holds on it.
        for _ in 0..<3 { _ = try Data(contentsOf: lock) }
        let task = Task { try await peer.send("increment counter.json 1") }
        usleep(20_000)
        #expect(try file.read() == 1, "the other process waits")
        return task
      }
    }
    _ = try await theirs.value
    try await file.firstValue { $0 == 2 }
  }

  #if os(Linux)
    @Test
    func `two later holders exclude each other even if the lock file was removed`() async throws {
      let file = try fixture.counter("counter.json", 1)
      try await file.write(2)
      let (first, second, third) = try await (fixture.peer(), fixture.peer(), fixture.peer())
      try await first.send("hold \(file.url.path)")
      let waiting = Task { try await second.send("hold \(file.url.path)") }
      while try !hasLockOpen(second) { try await Task.sleep(for: .milliseconds(2)) }
      try FileManager.default.removeItem(at: fixture.files.appending(path: ".shared/counter.json.lock"))
      // The old lock matters only to processes that have it open.
      try await third.send("hold \(file.url.path)")
      try await first.send("release")
      // The second process now acquires the old lock, notices its removal, and must wait for the third.
      let update = Task { try await file.update { $0 += 1 } }
      try await Task.sleep(for: .milliseconds(30))
      #expect(try file.read() == 2)
      try await third.kill()
      _ = try await waiting.value
      try await second.kill()
      try await update.value
      #expect(file.value == 3)
    }

    /// Returns `true` if a process has the lock's file open, as waiting processes do.
    private func hasLockOpen(_ peer: PeerProcess) throws -> Bool {
      let folder = "/proc/\(peer.identifier)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).contains { entry in
        // Descriptors closed in between do not matter.
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(entry)")
        return target?.hasSuffix("counter.json.lock") == true
      }
    }
  #endif

  @Test
  func `two objects of one process exclude each other, even by different paths`() async throws {
    let file = try fixture.counter("counter.json", 0)
    let link = fixture.directory.file("link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file.url)
    let linked = try AppGroupsFile(url: link, initialValue: 0)
    let dotted = try AppGroupsFile(
      url: fixture.files.appending(path: "../Files/counter.json"), initialValue: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for one in [file, linked, dotted] {
        group.addTask { for _ in 0..<100 { try await one.update { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    for one in [file, linked, dotted] { try await one.firstValue { $0 == 300 } }
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["counter.json.lock"])
  }
}
