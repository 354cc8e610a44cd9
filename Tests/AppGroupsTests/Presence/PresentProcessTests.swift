import AppGroups
import CLibrary
import Foundation
import Signals
import TestSupport
import Testing

// Not for each kernel: Apple's systems report the end of a process by its own event, which the model lacks.
@Suite("Present processes", .seeded, .patient)
struct PresentProcessTests {
  let fixture: Fixture
  let presence: AppGroupsPresence<String>

  init() throws {
    fixture = try Fixture()
    presence = try AppGroupsPresence(name: "presence", container: fixture.container)
  }

  private var directory: URL { fixture.container.containerURL.appending(path: "Presence/presence") }

  private func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("presence \(fixture.path) presence")
    return peer
  }

  private func expect(_ values: [String]) async throws {
    try await presence.firstValue("presence of \(values)") { $0.map(\.value) == values }
  }

  @Test(.asRoot)
  func `an unreadable announcement hides no other, and is reported`() async throws {
    let nobody = 65534
    try await shell("chown -R \(nobody) \"$1\"", fixture.path)
    let other = try PeerProcess()
    try await other.send("user \(nobody)")
    try await other.send("presence \(fixture.path) presence")
    let token = try presence.announce("root's")
    // It belongs to the user by now, like everything that root creates in a user's directory.
    try await shell("chown 0 \"$1\"/*-*", directory.path)
    try await other.send("announce theirs")
    #expect(try await other.send("present") == "theirs")
    try await expect(["root's", "theirs"])
    try await other.send("withdraw")
    #expect(try await other.send("present") == "")
    try await expect(["root's"])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: ["SIGKILL", "exit 0", "exit 1", "withdraw", "withdraw-release"])
  func `an announcement ends with its process, whatever ends it, for all observers`(end: String) async throws {
    let other = try await peer()
    try await other.send("presence-observe")
    let holder = try await peer()
    let id = try await holder.send("announce recording")
    try await expect(["recording"])
    let process = try #require(presence.value.first)
    #expect(process.id.uuidString == id)
    #expect(process.processIdentifier == holder.identifier)
    #expect(process.processName.contains("Peer"))
    #expect(!process.isThisProcess)
    try await other.events.wait(for: "the announcement") { $0.last == "present recording" }
    switch end {
    case "SIGKILL": holder.signal(SIGKILL)
    case "exit 0", "exit 1":
      await #expect(throws: PeerProcess.Failure.self) { try await holder.send(end) }
    default: try await holder.send(end)
    }
    try await expect([])
    #expect(!presence.isAnyonePresent.value)
    try await other.events.wait(for: "the end") { $0.last == "present " }
    #expect(try fixture.contents(of: directory) == [".shared"])
  }

  @Test
  func `a stopped process is present, and gone when it is killed`() async throws {
    let holder = try await peer()
    try await holder.send("announce recording")
    try await expect(["recording"])
    holder.signal(SIGSTOP)
    let late = try AppGroupsPresence<String>(name: "presence", container: fixture.container)
    #expect(late.value.map(\.value) == ["recording"])
    let mine = try presence.announce("me")
    #expect(presence.value.map(\.value) == ["recording", "me"])
    mine.withdraw()
    #expect(presence.value.map(\.value) == ["recording"])
    try await holder.kill()
    try await expect([])
    try await late.firstValue { $0.isEmpty }
  }

  @Test
  func `a child program does not inherit the presence of its parent`() async throws {
    let holder = try await peer()
    try await holder.send("announce recording")
    let sleeper = try #require(pid_t(try await holder.send("spawn-sleeper")))
    defer { kill(sleeper, SIGKILL) }
    try await expect(["recording"])
    try await holder.kill()
    try await expect([])
    #expect(kill(sleeper, 0) == 0, "it is still running")
  }

  #if os(Linux)
    /// The arguments of `unshare` with which a program has a table of processes of its own, as in a container.
    private static let separately = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--"]

    private static func isSeparable() -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/unshare")
      process.arguments = separately + ["/bin/true"]
      process.standardError = FileHandle.nullDevice
      do { try process.run() } catch { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }

    @Test(.enabled("namespaces are allowed") { isSeparable() })
    func `a process with another table of processes is present until it ends, except while it is suspended`()
      async throws
    {
      let arguments = Self.separately + [PeerProcess.builtExecutable.path]
      let holder = try PeerProcess(executable: URL(filePath: "/usr/bin/unshare"), arguments: arguments)
      try await holder.send("presence \(fixture.path) presence")
      try await holder.send("announce recording")
      try await expect(["recording"])
      // Its number there is the number of another process here.
      #expect(presence.value.first?.processIdentifier == 1)
      #expect(try presence.read().map(\.value) == ["recording"])
      try await holder.send("suspend \(fixture.path)")
      try await expect([])
      try await holder.send("resume \(fixture.path)")
      try await expect(["recording"])
      try await holder.kill()
      try await expect([])
    }
  #endif

  @Test
  func `unobserved deaths are noticed by the next read`() async throws {
    let holder = try await peer()
    try await holder.send("announce recording")
    try await holder.kill()
    let late = try AppGroupsPresence<String>(name: "presence", container: fixture.container)
    #expect(late.value.isEmpty)
    #expect(!late.isAnyonePresent.value)
  }

  @Test
  func `a dead process does not return when its identifier is reused`() async throws {
    let holder = try await peer()
    let id = try await holder.send("announce recording")
    let file = directory.appending(path: id)
    let content = try Data(contentsOf: file)
    try await holder.kill()
    try await expect([])
    // As left behind by a process whose identifier now belongs to another one, here this one.
    let text = String(decoding: content, as: UTF8.self)
      .replacing("\(holder.identifier)", with: "\(getpid())")
    try Data(text.utf8).write(to: file)
    let late = try AppGroupsPresence<String>(name: "presence", container: fixture.container)
    #expect(late.value.isEmpty)
    try await presence.firstValue { $0.isEmpty }
  }

  @Test
  func `processes that start, change and are killed at random moments leave no presence behind`() async throws {
    let steady = try presence.announce("steady")
    let observer = try await peer()
    try await observer.send("presence-observe")
    let rounds = Scale.count(15, torture: 500)
    var chance = Chance()
    for round in 1...rounds {
      let holder = try await peer()
      try await holder.send("loop-announce")
      // Not a wait: a random moment to strike.
      try await Task.sleep(for: .microseconds(chance.number(below: 8_000)))
      try await holder.kill()
      // The process is reaped, so the next reader finds it gone, and removes its leftovers.
      let late = try AppGroupsPresence<String>(name: "presence", container: fixture.container)
      #expect(late.value.map(\.value) == ["steady"])
      #expect(try fixture.contents(of: directory) == [".shared", steady.id.uuidString].sorted())
      #expect(try fixture.contents(of: directory.appending(path: ".shared")) == [])
      try await expect(["steady"])
      if round.isMultiple(of: 50) { Scale.progress("\(round) of \(rounds) processes killed") }
    }
    try await observer.events.wait(for: "the last one alone") { $0.last == "present steady" }
  }

  @Test
  func `twenty processes see each other come and go`() async throws {
    let peers = try await withThrowingTaskGroup(of: PeerProcess.self) { group in
      for number in 0..<Scale.count(6, torture: 20) {
        group.addTask {
          let peer = try await peer()
          try await peer.send("presence-observe")
          try await peer.send("announce \(number)")
          return peer
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await presence.firstValue("everybody") { $0.count == peers.count }
    for peer in peers {
      try await peer.events.wait(for: "everybody") { events in
        events.last?.dropFirst("present ".count).split(separator: ",").count == peers.count
      }
    }
    for peer in peers.dropLast() { peer.signal(SIGKILL) }
    try await presence.firstValue("the last one") { $0.count == 1 }
    try await peers.last?.events.wait(for: "itself alone") { events in
      events.last.map { $0.hasPrefix("present ") && !$0.contains(",") } == true
    }
  }
}
