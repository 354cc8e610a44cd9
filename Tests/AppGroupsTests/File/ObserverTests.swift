import AppGroups
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Subscribers of a shared file", .patient, .eachKernel)
struct ObserverTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `a subscriber may write and update the same file and others`() async throws {
    let file = try fixture.counter()
    let mirror = try fixture.counter("mirror.json")
    let failures = Recorder<String>()
    let subscription = file.sink { value in
      do {
        if value == 1 { try file.write(2) }
        if value == 2 { try file.update { $0 += 1 } }
        try mirror.update { $0 = value }
      } catch {
        failures.record("\(error)")
      }
    }
    let recorder = file.recorded()
    try await file.write(1)
    try await recorder.wait(for: 3)
    try await mirror.firstValue { $0 == 3 }
    #expect(recorder.elements == [0, 1, 2, 3])
    // The same for a change from elsewhere.
    try fixture.overwrite("counter.json", with: "1")
    try await recorder.wait(for: "the second round") { $0 == [0, 1, 2, 3, 1, 2, 3] }
    try await mirror.firstValue { $0 == 3 }
    #expect(failures.elements.isEmpty)
    subscription.cancel()
  }

  @Test
  func `no lock is held while a subscriber runs`() async throws {
    let file = try fixture.counter()
    let other = try fixture.counter()
    let peer = try await fixture.peer()
    try await peer.send("open-counter counter.json")
    let entered = Recorder<Int>()
    let mayLeave = DispatchSemaphore(value: 0)
    let subscription = file.property.changes.sink { value in
      entered.record(value)
      if value == 1 { mayLeave.wait() }
    }
    async let blocked: Void = onThread { try file.write(1) }
    // Even if a check below fails, the subscriber must not wait forever. One signal too many does no harm.
    defer { mayLeave.signal() }
    try await entered.wait(for: 1)
    // While the subscriber to the first write runs, this and another process write.
    #expect(try file.read() == 1)
    #expect(file.value == 1)
    try await file.update { $0 += 1 }
    #expect(file.value == 2)
    try await peer.send("increment counter.json 1")
    try await other.firstValue { $0 == 3 }
    mayLeave.signal()
    try await blocked
    try await entered.wait(for: 3)
    #expect(entered.elements.last == 3)
    subscription.cancel()
  }

  @Test
  func `reading and subscribing do not wait for another process that holds the lock`() async throws {
    let file = try fixture.counter("counter.json", 8)
    let peer = try await fixture.peer()
    try await peer.send("hold \(file.url.path)")
    #expect(file.value == 8)
    #expect(try file.read() == 8)
    #expect(file.recorded().elements == [8])
    #expect(try fixture.counter().value == 8, "opening an existing file takes no lock either")
    let written = Task { try await file.write(9) }
    // A program without the lock can still replace the file, and its value arrives.
    try Data("10".utf8).write(to: file.url, options: .atomic)
    try await file.firstValue { $0 == 10 }
    try await peer.send("release")
    try await written.value
    #expect(file.value == 9)
  }

  @Test
  func `values of other processes are not delivered on a queue shared by all files`() async throws {
    let slow = try fixture.counter("slow.json")
    let quick = try fixture.counter("quick.json")
    let mayLeave = DispatchSemaphore(value: 0)
    let entered = Recorder<Int>()
    let subscription = slow.property.changes.sink { value in
      entered.record(value)
      mayLeave.wait()
    }
    defer { mayLeave.signal() }
    try fixture.overwrite("slow.json", with: "1")
    try await entered.wait(for: 1)
    try fixture.overwrite("quick.json", with: "1")
    try await quick.firstValue { $0 == 1 }
    subscription.cancel()
  }

  @Test
  func `every subscriber sees the same values in the same order, with many writers`() async throws {
    let file = try fixture.counter()
    let recorders = (0..<3).map { _ in file.recorded() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { try await onThread { for _ in 0..<50 { try file.update { $0 += 1 } } } }
      }
      try await group.waitForAll()
    }
    for recorder in recorders {
      try await recorder.wait(for: 200)
      #expect(recorder.elements == Array(0...200))
    }
  }

  @Test
  func `the values can be iterated`() async throws {
    let file = try fixture.counter()
    var seen: [Int] = []
    for await value in file.property.values {
      seen.append(value)
      if value == 3 { break }
      try await file.write(value + 1)
    }
    #expect(seen == [0, 1, 2, 3])
  }

  @Test
  func `a subscription or the property alone keeps the watch of the file`() async throws {
    let recorder: Recorder<Int>
    let property: Property<Int>
    do {
      let file = try fixture.counter()
      recorder = file.recorded()
      property = file.property
    }
    try fixture.overwrite("counter.json", with: "1")
    try await recorder.wait(for: 1)
    #expect(property.value == 1)
  }

  @Test
  func `a subscriber to failures also keeps the watch of the file`() async throws {
    let failures = try fixture.counter().failures.recorded()
    try fixture.overwrite("counter.json", with: "")
    try await failures.wait(for: .empty(fixture.url("counter.json")))
  }
}
