import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("A suspended container", .patient, .eachKernel)
struct SuspendedContainerTests {
  let fixture: Fixture
  var container: AppGroupsContainer { fixture.container }

  init() throws {
    fixture = try Fixture()
  }

  /// The files in the container whose locks this process holds.
  private func locks() throws -> [String] {
    try LockTable.files(in: container.containerURL, lockedBy: getpid())
  }

  // MARK: Refusing

  @Test func `refuses writes with a typed error, and allows reads`() async throws {
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    let suite = try AppGroupsSuite(name: "suite.json", container: container)
    try await container.suspend()
    #expect(container.isSuspended)
    #expect(throws: AppGroupsFileError.suspended(file.url, operation: "write")) { try file.write(2) }
    #expect(throws: AppGroupsFileError.suspended(file.url, operation: "write")) { try file.update { $0 += 1 } }
    #expect(throws: AppGroupsFileError.suspended(suite.url, operation: "write")) {
      try suite.set(1, forKey: "a")
    }
    #expect(try file.read() == 1 && file.value == 1)
    try await container.resume()
    #expect(!container.isSuspended)
    try await file.update { $0 += 1 }
    #expect(file.value == 2)
  }

  @Test func `refuses only what is in its directory, however the path is written`() async throws {
    let elsewhere = try Fixture()
    let other = try AppGroupsFile(name: "count.json", initialValue: 1, container: elsewhere.container)
    let link = fixture.directory.url.deletingLastPathComponent()
      .appending(path: "link-\(UUID().uuidString)", directoryHint: .notDirectory)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: container.containerURL)
    defer { try? FileManager.default.removeItem(at: link) }
    let linked = link.appending(path: "linked.json", directoryHint: .notDirectory)
    try await onThread { try DurableFile.write(Data("1".utf8), to: linked) }
    try await container.suspend()
    try await other.write(2)
    await #expect(throws: DurableFileError.suspended(linked)) {
      try await DurableFile.write(Data("2".utf8), to: linked)
    }
    try await container.resume()
    try await DurableFile.write(Data("2".utf8), to: linked)
  }

  @Test func `refuses to create what is missing, and opens what exists`() async throws {
    let first = try AppGroupsFile(name: "there.json", initialValue: 1, container: container)
    try await container.suspend()
    let second = try AppGroupsFile(name: "there.json", initialValue: 2, container: container)
    #expect(second.value == 1)
    #expect(throws: AppGroupsFileError.self) {
      try AppGroupsFile(name: "missing.json", initialValue: 1, container: container)
    }
    try await container.resume()
    withExtendedLifetime(first) {}
  }

  @Test func `leaves its directory as it is, so that it can be removed`() async throws {
    try await container.suspend()
    let before = try FileManager.default.subpathsOfDirectory(atPath: container.containerURL.path).sorted()
    let place = container.containerURL.appending(path: "new", directoryHint: .notDirectory)
    await #expect(throws: DurableFileError.suspended(place)) { try await DurableFile.withLock(on: place) {} }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: container.containerURL.path).sorted() == before)
  }

  @Test func `waits for an update under way, which may finish its nested work`() async throws {
    let outer = try AppGroupsFile(name: "outer.json", initialValue: 1, container: container)
    let inner = try AppGroupsFile(name: "inner.json", initialValue: 1, container: container)
    let begun = DispatchSemaphore(value: 0)
    let container = container
    let updating = Task {
      try await onThread {
        try outer.update {
          $0 = 2
          begun.signal()
          while !container.isSuspended { usleep(500) }
          try inner.write(2)
        }
      }
    }
    try await onThread { begun.wait() }
    try await container.suspend()
    try await updating.value
    #expect(outer.value == 2 && inner.value == 2)
    #expect(try locks() == [])
    try await container.resume()
  }

  @Test func `reports work that does not end in time, and can be suspended again`() async throws {
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let updating = Task {
      try await onThread {
        try file.update {
          $0 = 2
          begun.signal()
          end.wait()
        }
      }
    }
    try await onThread { begun.wait() }
    let limit = Duration.milliseconds(20)
    let error = SuspensionError.stillBusy(container.containerURL, files: [file.url.path], after: limit)
    await #expect(throws: error) { try await container.suspend(within: limit) }
    #expect(throws: AppGroupsFileError.self) { try AppGroupsFile(name: "new", initialValue: 1, container: container) }
    end.signal()
    try await updating.value
    try await container.suspend()
    #expect(try locks() == [])
    try await container.resume()
  }

  @Test func `cannot be suspended inside an update, which would wait for itself`() async throws {
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    let container = container
    try await onThread {
      try file.update { value in
        #expect(throws: SuspensionError.nested(container.containerURL)) { try container.suspend() }
        value = 2
      }
    }
    #expect(file.value == 2 && !container.isSuspended)
  }

  @Test func `follows the changes of other processes when it is resumed`() async throws {
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    let values = file.recorded()
    let peer = try PeerProcess()
    try await container.suspend()
    try await peer.send("hold \(file.url.path)")
    try await peer.send("release")
    try Data("7".utf8).write(to: file.url)
    try await container.resume()
    try await values.wait(for: "the new value") { $0.last == 7 }
  }

  // MARK: Logs

  @Test func `releases a consumer's name, and continues exactly where it stopped`() async throws {
    let log = try AppGroupsLog<String>(name: "log", container: container)
    let received = try log.events(for: "widget").recorded()
    for number in 1...5 { try log.append("\(number)") }
    try await received.wait(for: "five events") { $0.count == 5 }
    try await container.suspend()
    #expect(try locks() == [])
    #expect(throws: AppGroupsLogError.suspended(log.url, operation: "append to")) { try log.append("refused") }

    let peer = try PeerProcess()
    try await peer.send("log \(fixture.path) log")
    try await peer.send("append 6")
    try await container.resume()
    try log.append("7")
    try await received.wait(for: "seven events") { $0.count == 7 }
    #expect(Set(received.elements.map(\.event)) == Set((1...7).map(String.init)))
    #expect(received.elements.count == 7)
  }

  @Test func `reports that another process has become the consumer, and continues after it`() async throws {
    let log = try AppGroupsLog<String>(name: "log", container: container)
    let events = try log.events(for: "widget")
    let (received, failures) = (events.recorded(), events.failures.recorded())
    try log.append("first")
    try await received.wait(for: "an event") { $0.count == 1 }
    try await container.suspend()
    let peer = try PeerProcess()
    try await peer.send("log \(fixture.path) log")
    try await peer.send("follow-log widget")
    try await peer.send("append theirs")
    try await peer.events.wait(for: "their event") { $0.contains { $0.hasSuffix("theirs") } }
    try await container.resume()
    try await failures.wait(for: "the failure") { $0.contains { $0.isUse(of: "widget", by: peer.identifier) } }
    try await peer.kill()
    try log.append("last")
    try await received.wait(for: "the last event") { $0.last?.event == "last" }
    #expect(received.elements.first?.event == "first")
  }

  @Test func `delivers nothing twice to a loop that is between two events`() async throws {
    let log = try AppGroupsLog<Int>(name: "log", container: container)
    try log.append(contentsOf: 1...100)
    let events = try log.events(for: "widget")
    var received: [Int] = []
    for await entry in events.values {
      received.append(entry.event)
      if entry.event == 10 {
        try await container.suspend()
        try await container.resume()
        try log.append(101)
      }
      if entry.event == 101 { break }
    }
    #expect(received == Array(1...101))
  }

  @Test func `begins to read after it is resumed if the first subscriber came before`() async throws {
    let log = try AppGroupsLog<String>(name: "log", container: container)
    try log.append("before")
    try await container.suspend()
    let received = try log.events(for: "widget").recorded()
    let new = try log.newEvents().recorded()
    #expect(try locks() == [])
    try await container.resume()
    try log.append("after")
    try await received.wait(for: "both events") { $0.map(\.event) == ["before", "after"] }
    try await new.wait(for: "the new event") { $0.map(\.event) == ["after"] }
  }

  // MARK: Presence

  @Test func `shows other processes that it is suspended, and comes back`() async throws {
    let peer = try PeerProcess()
    try await peer.send("presence \(fixture.path) here")
    let presence = try AppGroupsPresence<String>(name: "here", container: container)
    let token = try presence.announce("mine")
    try await peer.send("announce theirs")
    let states = presence.property.map { $0.map { "\($0.value) \($0.isSuspended)" }.sorted() }.recorded()
    try await states.wait(for: "both") { $0.last == ["mine false", "theirs false"] }

    try await peer.send("suspend \(fixture.path)")
    try await states.wait(for: "the suspension") { $0.last == ["mine false", "theirs true"] }
    #expect(try LockTable.files(in: container.containerURL, lockedBy: peer.identifier) == [])
    try await peer.send("resume \(fixture.path)")
    try await states.wait(for: "the return") { $0.last == ["mine false", "theirs false"] }

    try await peer.send("suspend \(fixture.path)")
    try await states.wait(for: "the suspension") { $0.last == ["mine false", "theirs true"] }
    try await peer.kill()
    try await states.wait(for: "the end of a suspended process") { $0.last == ["mine false"] }
    token.withdraw()
  }

  @Test func `refuses announcements, and keeps those that were made before`() async throws {
    let presence = try AppGroupsPresence<String>(name: "here", container: container)
    let token = try presence.announce("mine")
    let second = try presence.announce("withdrawn")
    try await container.suspend()
    #expect(presence.value.allSatisfy { $0.isSuspended })
    #expect(throws: AppGroupsFileError.self) { try presence.announce("new") }
    #expect(throws: AppGroupsFileError.self) { try token.write("changed") }
    second.withdraw()
    try await container.resume()
    #expect(presence.value.map(\.value) == ["mine"] && presence.value.allSatisfy { !$0.isSuspended })
    try token.write("changed")
    #expect(presence.value.map(\.value) == ["changed"])
  }

  // MARK: Limits

  @Test func `names the process that holds a lock for longer than the limit`() async throws {
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    let peer = try PeerProcess()
    try await peer.send("hold \(file.url.path)")
    peer.signal(SIGSTOP)
    container.lockTimeout = .milliseconds(50)
    let error = await #expect(throws: AppGroupsFileError.self) { try await file.write(2) }
    guard case .inaccessible(.lockTimeout(file.url, .milliseconds(50), let holder)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(holder?.processIdentifier == peer.identifier && holder?.isStopped == true)
    #expect("\(error!)".contains("Peer (process \(peer.identifier), stopped)"))
    container.lockTimeout = nil
    peer.signal(SIGCONT)
    try await peer.send("release")
    try await file.write(2)
  }
}
