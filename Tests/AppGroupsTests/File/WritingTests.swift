import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Writing a shared file", .patient, .eachKernel)
struct WritingTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `a write reaches the value, the file and the subscribers once, before it returns`() throws {
    let file = try fixture.counter()
    let recorder = file.recorded()
    for value in 1...5 {
      try file.write(value)
      #expect(file.value == value)
      #expect(file.property.value == value)
      #expect(try file.read() == value)
      #expect(recorder.elements == Array(0...value))
    }
  }

  @Test
  func `a format that cannot decode its own output fails the first write, which changes nothing`() throws {
    let dates = try AppGroupsFile(
      name: "dates.json", initialValue: [Date](), container: fixture.container,
      format: .json(encoder: { $0.dateEncodingStrategy = .iso8601 }))
    let before = try Data(contentsOf: dates.url)
    #expect {
      try dates.write([Date(timeIntervalSince1970: 0)])
    } throws: { "\($0)".contains("the format cannot decode its own output") }
    #expect(try Data(contentsOf: dates.url) == before)
    #expect(dates.value.isEmpty)
  }

  @Test
  func `own writes cause no echoes`() async throws {
    let file = try fixture.counter()
    let other = try fixture.counter()
    let recorder = file.recorded()
    for value in 1...200 { try await file.write(value) }
    // The other object receives the last write through the watcher, after any echoes.
    try await other.firstValue { $0 == 200 }
    try await other.write(201)
    try await recorder.wait(for: 201)
    #expect(recorder.elements == Array(0...201))
  }

  @Test
  func `a value with the same bytes causes no event and no write`() throws {
    let file = try fixture.counter()
    try file.write(1)
    let recorder = file.property.changes.recorded()
    let before = try FileManager.default.attributesOfItem(atPath: file.url.path)[.systemFileNumber] as? Int
    try file.write(1)
    try file.update { $0 = 1 }
    let after = try FileManager.default.attributesOfItem(atPath: file.url.path)[.systemFileNumber] as? Int
    #expect(before == after)
    #expect(recorder.elements.isEmpty)
  }

  @Test
  func `foreign content with the same bytes causes no event`() async throws {
    let file = try fixture.counter()
    let recorder = file.recorded()
    let bytes = try Data(contentsOf: file.url)
    for _ in 0..<20 { try bytes.write(to: file.url, options: .atomic) }
    try fixture.overwrite("counter.json", with: "1")
    try await recorder.wait(for: 1)
    #expect(recorder.elements == [0, 1])
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o660])
  func `a write keeps the permissions of the file`(mode: Int) throws {
    let file = try fixture.counter()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.url.path)
    try file.write(1)
    try file.update { $0 += 1 }
    #expect(try FileManager.default.attributesOfItem(atPath: file.url.path)[.posixPermissions] as? Int == mode)
  }

  @Test
  func `the file is plain JSON, with only its lock beside it`() throws {
    let file = try fixture.note()
    try file.write(Note(count: 3, text: "plain"))
    #expect(
      try fixture.text(of: file.url) == """
        {
          "count" : 3,
          "text" : "plain"
        }

        """
    )
    #expect(try fixture.contents(of: fixture.files) == [".shared", "note.json"])
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["note.json.lock"])
  }

  @Test
  func `a removed file and its directory are recreated by the next write`() async throws {
    let file = try fixture.counter("counter.json", 1)
    try FileManager.default.removeItem(at: file.url)
    try await file.status.firstValue { $0 == .missing }
    #expect(file.value == 1)
    #expect(!FileManager.default.fileExists(atPath: file.url.path))
    try await file.write(2)
    #expect(file.status.value == .current)
    #expect(try file.read() == 2)

    try FileManager.default.removeItem(at: fixture.container.containerURL)
    try await file.health.firstValue { if case .waiting = $0 { true } else { false } }
    try await file.status.firstValue { $0 == .missing }
    try await file.update { $0 += 1 }
    #expect(try file.read() == 3)
    try await file.health.firstValue { $0 == .active }
    try fixture.overwrite("counter.json", with: "4")
    try await file.firstValue { $0 == 4 }
  }

  @Test
  func `a removed file is reported as missing once, and followed when it reappears`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let failures = file.failures.recorded()
    try FileManager.default.removeItem(at: file.url)
    try await file.status.firstValue { $0 == .missing }
    try Data("junk".utf8).write(to: fixture.url("unrelated"))
    try fixture.overwrite("counter.json", with: "2")
    try await file.firstValue { $0 == 2 }
    #expect(failures.elements == [.missing(file.url)])
  }

  @Test
  func `two objects for one file in one process stay equal`() async throws {
    let files = try [fixture.counter(), fixture.counter(), fixture.counter()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in files {
        group.addTask { for _ in 0..<100 { try await file.update { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    for file in files { try await file.firstValue { $0 == 300 } }
  }

  @Test
  func `values never go back, whichever process writes`() async throws {
    let file = try fixture.counter()
    let other = try fixture.counter()
    let recorders = [file.recorded(), other.recorded()]
    let older = Recorder<Int>()
    // A subscriber that receives a value reads that value or a newer one.
    let subscription = file.sink { if file.value < $0 || file.property.value < $0 { older.record($0) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in [file, other] {
        group.addTask { for _ in 0..<300 { try await file.update { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    for recorder in recorders {
      try await recorder.wait(for: 600)
      #expect(zip(recorder.elements, recorder.elements.dropFirst()).allSatisfy { $0 < $1 })
    }
    #expect(older.elements.isEmpty)
    subscription.cancel()
  }

  @Test
  func `a cancelled task writes nothing`() async throws {
    let file = try fixture.counter()
    let changes: [@Sendable () async throws -> Void] = [
      { try await file.write(1) }, { try await file.update { $0 = 2 } },
    ]
    for change in changes {
      await #expect(throws: CancellationError.self) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.cancelAll()
          group.addTask { try await change() }
          try await group.waitForAll()
        }
      }
    }
    #expect(try file.read() == 0)
  }

  @Test
  func `a task cancelled while waiting for its turn writes nothing`() async throws {
    let file = try fixture.counter()
    let isBusy = MutableProperty(false)
    let end = DispatchSemaphore(value: 0)
    let first = Task {
      try await file.update { value in
        value = 1
        isBusy.value = true
        end.wait()
      }
    }
    try await isBusy.firstValue("the first one's turn") { $0 }
    let second = Task { try await file.write(2) }
    // The task is queued by then, or will notice its cancellation before.
    await Task.yield()
    second.cancel()
    end.signal()
    try await first.value
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try file.read() == 1)
  }

  @Test
  func `any shared value can be written and updated through the protocol`() async throws {
    func use(_ value: some SharedValue<Int>) async throws -> Int {
      try await value.write(20)
      try await value.update { $0 += 1 }
      return try await value.read() + value.value
    }
    #expect(try await use(fixture.counter()) == 42)
  }
}
