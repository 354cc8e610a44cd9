import FileSignals
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@testable import AppGroups

@Suite("Files and suites with injected changes")
struct InjectedChangesTests {
  let fixture: Fixture
  let url: URL

  init() throws {
    fixture = try Fixture()
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: true)
    url = fixture.url("value.json")
  }

  private func put(_ text: String) throws {
    try Data(text.utf8).write(to: url)
  }

  /// Opens the file with a format, and with changes that only the test observes.
  private func engine(_ format: FileFormat<String>) throws -> SharedFileEngine<String> {
    try SharedFileEngine(
      location: FileLocation(anywhere: url), initialValue: "first", format: format,
      options: .init(maximumSize: 1 << 20), isCreating: true, changes: Emitter<PathChange, Never>())
  }

  private func file(_ changes: any ChangeSource) throws -> AppGroupsFile<Int> {
    AppGroupsFile(
      try SharedFileEngine(
        location: FileLocation(anywhere: url), initialValue: 0, format: .json, options: .init(maximumSize: 1 << 20),
        isCreating: false, changes: changes))
  }

  private func suite(_ changes: any ChangeSource) throws -> AppGroupsSuite {
    try AppGroupsSuite(
      FileLocation(anywhere: url), .init(durability: .process, maximumSize: 1 << 20), isCreating: false,
      changes: changes)
  }

  @Test
  func `a file is read when opened, and again after each change`() throws {
    try put("1")
    let changes = Emitter<PathChange, Never>()
    let file = try file(changes)
    let values = file.recorded()
    try put("2")
    #expect(file.value == 1, "no event has reported it")
    changes.send(PathChange(written: "value.json"))
    #expect(file.value == 2)
    changes.send(PathChange(written: "value.json"))
    #expect(values.elements == [1, 2], "the same bytes are no news")
  }

  @Test
  func `several writes in one change send one value, and a late subscriber receives the last`() throws {
    try put("1")
    let changes = Emitter<PathChange, Never>()
    let file = try file(changes)
    let values = file.recorded()
    for number in 2...5 { try put("\(number)") }
    changes.send(PathChange(written: "value.json"))
    #expect(values.elements == [1, 5])
    #expect(file.recorded().elements == [5])
  }

  @Test
  func `a file that disappears and reappears is missing in between`() async throws {
    try put("1")
    let changes = Emitter<PathChange, Never>()
    let file = try file(changes)
    try FileManager.default.removeItem(at: url)
    changes.send(PathChange(written: "value.json"))
    try await file.status.firstValue("the loss") { $0 == .missing }
    #expect(file.value == 1)
    try put("2")
    changes.send(PathChange(written: "value.json"))
    #expect(file.value == 2)
    #expect(file.status.value == .current)
  }

  @Test
  func `unreadable content leaves the value stale until the next change`() async throws {
    try put("1")
    let changes = Emitter<PathChange, Never>()
    let file = try file(changes)
    let failures = file.failures.recorded()
    try put("oops")
    changes.send(PathChange(written: "value.json"))
    let failure = try await failures.first("a failure") { _ in true }
    #expect(file.status.value.failure == failure)
    #expect(file.value == 1)
    try put("2")
    changes.send(PathChange(written: "value.json"))
    #expect(file.value == 2)
    #expect(file.status.value == .current)
    #expect(failures.elements.count == 1)
  }

  @Test
  func `a file does not echo its own write`() async throws {
    try put("1")
    let changes = InjectedChanges()
    let file = try file(changes)
    let values = file.recorded()
    try await file.write(2)
    #expect(changes.log == ["pause", "quietly", "known", "resume"])
    #expect(values.elements == [1, 2])
  }

  @Test
  func `another program's write during an own write is read after the pause`() async throws {
    try put("1")
    let url = url
    let changes = InjectedChanges { _ = FileManager.default.createFile(atPath: url.path, contents: Data("7".utf8)) }
    let file = try file(changes)
    let values = file.recorded()
    try await file.update { $0 += 1 }
    #expect(changes.log == ["pause", "quietly", "resume"])
    #expect(file.value == 7)
    #expect(values.elements.last == 7)
  }

  @Test
  func `the health is the health of the changes`() throws {
    let changes = InjectedChanges()
    let file = try file(changes)
    let suite = try suite(changes)
    #expect(file.health.value == .active && suite.health.value == .active)
    changes.healthSource.value = .waiting(for: url)
    #expect(file.health.value == .waiting(for: url))
    #expect(suite.health.value == file.health.value)
  }

  @Test
  func `a change of one key does not notify observers of others`() throws {
    try put(#"{"a": 1, "b": 1}"#)
    let changes = Emitter<PathChange, Never>()
    let suite = try suite(changes)
    let first = suite.signal(forKey: "a", as: Int.self).recorded()
    let second = suite.preference("b", default: 0).recorded()
    let names = suite.changes.map(\.keys).recorded()
    try put(#"{"a": 2, "b": 1}"#)
    #expect(first.elements == [1])
    changes.send(PathChange(written: "value.json"))
    #expect(first.elements == [1, 2] && second.elements == [1])
    for number in 2...4 { try put("{\"a\": \(number), \"b\": \(number)}") }
    changes.send(PathChange(written: "value.json"))
    #expect(first.elements == [1, 2, 4] && second.elements == [1, 4])
    #expect(names.elements == [["a"], ["a", "b"]])
  }

  @Test
  func `a damaged suite keeps its values until the next change`() async throws {
    try put(#"{"a": 1}"#)
    let changes = Emitter<PathChange, Never>()
    let suite = try suite(changes)
    let failures = suite.failures.recorded()
    try put(#"{"a": 1"#)
    changes.send(PathChange(written: "value.json"))
    let failure = try await failures.first("a failure") { _ in true }
    #expect(suite.status.value.failure == failure)
    #expect(suite.keys == ["a"])
    try put(#"{"b": 1}"#)
    changes.send(PathChange(written: "value.json"))
    #expect(suite.keys == ["b"] && suite.status.value == .current)
  }

  @Test
  func `a suite does not echo its own write`() async throws {
    try put(#"{"a": 1}"#)
    let changes = InjectedChanges()
    let suite = try suite(changes)
    let names = suite.changes.map(\.keys).recorded()
    try await suite.set(2, forKey: "a")
    #expect(changes.log == ["pause", "quietly", "known", "resume"])
    #expect(names.elements == [["a"]])
  }

  @Test
  func `files and suites are listed as subscriptions of their changes while they live`() async throws {
    try put("{}")
    let changes = Emitter<PathChange, Never>()
    do {
      let file = try AppGroupsFile(
        SharedFileEngine(
          location: FileLocation(anywhere: url), initialValue: [String: Int](), format: .json,
          options: .init(maximumSize: 1 << 20), isCreating: false, changes: changes))
      let suite = try suite(changes)
      #expect(await changes.subscriptions().map(\.description) == ["sink", "sink"])
      withExtendedLifetime((file, suite)) {}
    }
    #expect(await changes.subscriptions().isEmpty)
    let real = try fixture.counter()
    let watched = try #require(real.engine.changes as? PathChanges)
    #expect(await watched.subscriptions().map(\.description) == ["sink"])
  }

  @Test
  func `a read that the process's own writes overtake again and again is postponed`() async throws {
    let overtaken = Mutex(0)
    let isOvertaking = Atomic(false)
    let owner = Mutex<SharedFileEngine<String>?>(nil)
    let format = FileFormat<String>(encode: { Data($0.utf8) }) { data in
      let text = String(decoding: data, as: UTF8.self)
      guard isOvertaking.load(ordering: .relaxed), text.hasPrefix("foreign"), let engine = owner.withLock({ $0 }) else {
        return text
      }
      let number = overtaken.withLock { number in
        number += 1
        return number
      }
      if number == 50 { isOvertaking.store(false, ordering: .relaxed) }
      try engine.write("own \(number)")
      try Data("foreign \(number)".utf8).write(to: engine.location.url, options: .atomic)
      return text
    }
    let engine = try engine(format)
    owner.withLock { $0 = engine }
    try await onThread {
      try engine.queue.sync {
        try Data("foreign 0".utf8).write(to: engine.location.url, options: .atomic)
        isOvertaking.store(true, ordering: .relaxed)
        engine.lookNow()
        isOvertaking.store(false, ordering: .relaxed)
      }
    }
    let last = overtaken.withLock { $0 }
    #expect(last == 3)
    try await engine.value.firstValue("the last content") { $0 == "foreign \(last)" }
    owner.withLock { $0 = nil }
  }

  @Test
  func `of several reads that are postponed, one is enough`() async throws {
    let readings = Atomic(0)
    let postponed = Atomic(0)
    let owner = Mutex<SharedFileEngine<String>?>(nil)
    let format = FileFormat<String>(encode: { Data($0.utf8) }) { data in
      let text = String(decoding: data, as: UTF8.self)
      guard text.hasPrefix("foreign"), let engine = owner.withLock({ $0 }) else { return text }
      if readings.wrappingAdd(1, ordering: .relaxed).newValue <= 15 {
        try engine.write("own")
      } else {
        postponed.wrappingAdd(1, ordering: .relaxed)
      }
      // So that each read has something new to decode.
      let number = readings.load(ordering: .relaxed)
      try Data("foreign \(number)".utf8).write(to: engine.location.url, options: .atomic)
      return text
    }
    let engine = try engine(format)
    owner.withLock { $0 = engine }
    try await onThread {
      // Each of them is overtaken three times, and takes less time than all of them together.
      let begun = ContinuousClock.now
      try engine.queue.sync {
        try Data("foreign 0".utf8).write(to: engine.location.url, options: .atomic)
        for _ in 0..<5 { engine.lookNow() }
      }
      let ended = DispatchSemaphore(value: 0)
      engine.queue.async(after: (ContinuousClock.now - begun) * 20) { ended.signal() }
      ended.wait()
    }
    #expect(postponed.load(ordering: .relaxed) == 1)
    owner.withLock { $0 = nil }
  }

  @Test
  func `an update is not outdated by a read that began before it`() async throws {
    let (reading, hasNewer) = (Gate(), Gate())
    let format = FileFormat<String>(encode: { Data($0.utf8) }) { data in
      if data == Data("older".utf8) {
        reading.open()
        hasNewer.block()
      }
      return String(decoding: data, as: UTF8.self)
    }
    let engine = try engine(format)
    try await onThread {
      try Data("older".utf8).write(to: engine.location.url, options: .atomic)
      engine.queue.async { engine.lookNow() }
      reading.block()
      try Data("newer".utf8).write(to: engine.location.url, options: .atomic)
      try engine.update(overwriting: false) { value in
        #expect(value == "newer")
        hasNewer.open()
        engine.queue.sync {}
      }.get()
      #expect(engine.value.value == "newer")
    }
  }
}
