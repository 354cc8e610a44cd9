import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

// Not for each kernel: Apple's systems report the end of a process by its own event, which the model lacks.
@Suite("A presence", .patient)
struct PresenceTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func open(_ name: String = "recording") throws -> AppGroupsPresence<String> {
    try AppGroupsPresence(name: name, container: fixture.container)
  }

  private var directory: URL { fixture.container.containerURL.appending(path: "Presence/recording") }

  @Test
  func `an announcement is visible at once, can change, and can be withdrawn`() async throws {
    let presence = try open()
    let other = try open()
    let seen = other.property.map { $0.map(\.value) }.recorded()
    #expect(presence.value.isEmpty)
    #expect(!presence.isAnyonePresent.value)

    let before = Date()
    let token = try presence.announce("microphone")
    #expect(presence.value.map(\.value) == ["microphone"], "visible to the writer at once")
    #expect(presence.isAnyonePresent.value)
    let process = try #require(presence.value.first)
    #expect(process.id == token.id)
    #expect(process.isThisProcess)
    #expect(process.processIdentifier == getpid())
    #expect(!process.processName.isEmpty)
    #expect(process.since.timeIntervalSince(before) > -1 && process.since <= Date())

    // One at a time, because changes in quick succession may be skipped.
    try await seen.wait(for: "the announcement") { $0.last == ["microphone"] }
    try token.write("camera")
    #expect(presence.value.map(\.value) == ["camera"])
    #expect(presence.value.first?.since == process.since)
    try await seen.wait(for: "the change") { $0.last == ["camera"] }
    token.withdraw()
    #expect(presence.value.isEmpty)
    #expect(!presence.isAnyonePresent.value)
    try await seen.wait(for: "the end") { $0.last == [] }
    #expect(seen.elements == [[], ["microphone"], ["camera"], []])
    #expect(try fixture.contents(of: directory) == [".shared"])
    #expect(try fixture.contents(of: directory.appending(path: ".shared")) == [])

    token.withdraw()
    #expect(throws: AppGroupsFileError.missing(directory.appending(path: token.id.uuidString))) {
      try token.write("again")
    }
  }

  @Test
  func `whoever has read the name of an announcement finds it present`() async throws {
    let names = try AppGroupsFile(name: "workers", initialValue: [UUID](), container: fixture.container)
    let presence = try open()
    let asked = Guarded<[Bool]>([])
    let reader = names.sink { ids in
      guard let id = ids.last else { return }
      do {
        let isFound = try presence.isPresent(id) && presence.read().contains { $0.id == id }
        asked.withLock { $0.append(isFound) }
      } catch {
        Issue.record(error)
      }
    }
    let fixture = fixture
    let tokens = try await onThread {
      // Objects of their own, as another process has them.
      let workers = try AppGroupsPresence<String>(name: "recording", container: fixture.container)
      let file = try AppGroupsFile(name: "workers", initialValue: [UUID](), container: fixture.container)
      var tokens: [PresenceToken<String>] = []
      for number in 0..<50 {
        let token = try workers.announce("\(number)")
        tokens.append(token)
        try file.update { $0 = [token.id] }
      }
      return tokens
    }
    // The reader may be late.
    try await names.firstValue { $0.last == tokens.last?.id }
    let answers = asked.withLock { $0 }
    #expect(!answers.isEmpty && !answers.contains(false))
    reader.cancel()
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `releasing the token withdraws the announcement`() throws {
    let presence = try open()
    do {
      let token = try presence.announce("here")
      #expect(presence.value.count == 1)
      withExtendedLifetime(token) {}
    }
    #expect(presence.value.isEmpty)
  }

  @Test
  func `several announcements of one process arrive in order and leave one by one`() throws {
    let presence = try open()
    let tokens = try (0..<10).map { try presence.announce("\($0)") }
    #expect(presence.value.map(\.value) == (0..<10).map(String.init))
    #expect(Set(presence.value.map(\.id)) == Set(tokens.map(\.id)))
    tokens[3].withdraw()
    #expect(presence.value.map(\.value) == (0..<10).filter { $0 != 3 }.map(String.init))
    for token in tokens { token.withdraw() }
    #expect(presence.value.isEmpty)
  }

  @Test
  func `a later opening sees present processes, and other names are separate`() throws {
    let token = try open().announce("here")
    #expect(try open().value.map(\.value) == ["here"])
    #expect(try open("playing").value.isEmpty)
    token.withdraw()
    #expect(try open().value.isEmpty)
  }

  @Test
  func `foreign files in the directory are left alone`() async throws {
    let presence = try open()
    let note = directory.appending(path: "README")
    try Data("hello".utf8).write(to: note)
    // Resembles an announcement, but is not locked and is not a file.
    let folder = directory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let token = try presence.announce("here")
    #expect(presence.value.map(\.value) == ["here"])
    #expect(try fixture.contents(of: directory).count == 4)
    token.withdraw()
    #expect(try fixture.contents(of: directory) == [".shared", "README", folder.lastPathComponent].sorted())
  }

  @Test
  func `leftovers of dead processes are removed by openings and reads`() async throws {
    let temporaries = directory.appending(path: ".shared")
    let presence = try open()
    let dead = directory.appending(path: UUID().uuidString)
    try Data("{}".utf8).write(to: dead)
    let unfinished = temporaries.appending(path: "\(UUID().uuidString).tmp")
    try Data("{".utf8).write(to: unfinished)
    let token = try presence.announce("here")
    #expect(presence.value.map(\.value) == ["here"])
    #expect(try fixture.contents(of: directory) == [".shared", token.id.uuidString])
    let other = try open()
    #expect(try fixture.contents(of: temporaries) == [])
    withExtendedLifetime(other) {}
  }

  /// Adds an announcement whose end causes no event, because its file is open for reading only.
  ///
  /// - Returns: The descriptor that holds the announcement.
  private func putInPlace(in directory: URL) throws -> CInt {
    let temporary = directory.appending(path: ".shared/\(UUID().uuidString).tmp")
    try Data("{}".utf8).write(to: temporary)
    let descriptor = openForReading(temporary.path)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(rename(temporary.path, directory.appending(path: UUID().uuidString).path) == 0)
    return descriptor
  }

  @Test
  func `an announcement that appears and ends with only one event reported does not stay forever`() async throws {
    let presence = try open()
    let holder = Mutex<CInt>(-1)
    // Called during the read of the announcement, hence before the next one.
    let subscription = presence.isAnyonePresent.sink { isPresent in
      guard isPresent else { return }
      _ = close(holder.withLock { $0 })
    }
    let seen = presence.isAnyonePresent.recorded()
    try holder.withLock { $0 = try putInPlace(in: directory) }
    try await seen.wait(for: "the end") { $0 == [false, true, false] }
    subscription.cancel()
    #expect(try fixture.contents(of: directory) == [".shared"])
  }

  @Test
  func `an announcement that ends during the opening does not stay forever`() async throws {
    try FileManager.default.createDirectory(
      at: directory.appending(path: ".shared"), withIntermediateDirectories: true)
    let descriptor = try putInPlace(in: directory)
    let presence = try open()
    #expect(presence.isAnyonePresent.value)
    _ = close(descriptor)
    try await presence.isAnyonePresent.firstValue { !$0 }
  }

  @Test
  func `an undecodable announcement is present all the same, and reported once`() async throws {
    let numbers = try AppGroupsPresence<Int>(name: "recording", container: fixture.container)
    let failures = numbers.failures.recorded()
    let token = try open().announce("no number")
    try await numbers.isAnyonePresent.firstValue { $0 }
    let failure = try await failures.first("the failure") { _ in true }
    guard case .undecodable(let url, _) = failure else {
      Issue.record("The failure is \(failure)")
      return
    }
    #expect(url.lastPathComponent == token.id.uuidString)
    #expect(numbers.value.isEmpty)
    let mine = try numbers.announce(5)
    #expect(numbers.value.map(\.value) == [5])
    #expect(failures.elements.count == 1)
    let late = try AppGroupsPresence<Int>(name: "recording", container: fixture.container)
    #expect(late.failures.recorded().elements == [failure], "also what was found while it was opened")
    token.withdraw()
    mine.withdraw()
    try await numbers.isAnyonePresent.firstValue { !$0 }
  }

  @Test
  func `a value that cannot be encoded throws and announces nothing`() throws {
    let presence = try AppGroupsPresence<Double>(name: "recording", container: fixture.container)
    #expect(throws: AppGroupsFileError.self) { try presence.announce(.nan) }
    #expect(!presence.isAnyonePresent.value)
    let token = try presence.announce(1)
    #expect(throws: AppGroupsFileError.self) { try token.write(.nan) }
    #expect(presence.value.map(\.value) == [1])
  }

  @Test(arguments: ["", ".", "..", "../up", "a/b", ".hidden", "nul\0", String(repeating: "x", count: 201)])
  func `a name that could escape the directory is rejected`(name: String) throws {
    #expect(throws: AppGroupsFileError.self) { try open(name) }
  }

  @Test
  func `if the directory vanishes, the presence is empty until an update`() async throws {
    let presence = try open()
    let token = try presence.announce("here")
    try FileManager.default.removeItem(at: directory)
    try await presence.firstValue { $0.isEmpty }
    try token.write("again")
    #expect(presence.value.map(\.value) == ["again"])
    let other = try open()
    #expect(other.value.map(\.value) == ["again"])
    token.withdraw()
    try await other.firstValue { $0.isEmpty }
  }

  @Test
  func `a subscriber may announce and withdraw`() async throws {
    let presence = try open()
    let tokens = Recorder<PresenceToken<String>>()
    let subscription = presence.sink { present in
      guard present.map(\.value) == ["question"] else { return }
      do {
        try tokens.record(presence.announce("answer"))
      } catch {
        Issue.record(error)
      }
    }
    let question = try presence.announce("question")
    try await presence.firstValue { $0.map(\.value) == ["question", "answer"] }
    subscription.cancel()
    withExtendedLifetime(question) {}
  }

  @Test
  func `concurrent announcements, changes and withdrawals leave nothing behind`() async throws {
    let presence = try open()
    let observer = try open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          try await onThread {
            for round in 0..<Scale.count(50, torture: 2_000) {
              let token = try presence.announce("\(thread) \(round)")
              #expect(presence.value.contains { $0.id == token.id })
              try token.write("\(thread) \(round)!")
              #expect(presence.value.contains { $0.id == token.id && $0.value.hasSuffix("!") })
              token.withdraw()
              #expect(!presence.value.contains { $0.id == token.id })
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(presence.value.isEmpty)
    try await observer.firstValue { $0.isEmpty }
    #expect(try fixture.contents(of: directory) == [".shared"])
  }
}

private func openForReading(_ path: String) -> CInt {
  open(path, O_RDONLY | O_CLOEXEC)
}
