import AppGroups
import Foundation
import Observation
import Signals
import TestSupport
import Testing

@Suite("Lenses of shared values", .patient)
struct SharedLensTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  struct Refusal: Error, Equatable {}

  private func file() throws -> AppGroupsFile<Dials> {
    try AppGroupsFile(name: "dials.json", initialValue: Dials(), container: fixture.container)
  }

  @Test func `a lens reads and writes its part of a file, and nothing else`() throws {
    let dials = try file()
    let left = dials.lens(\.pair).lens(\.left)
    try dials.update { $0.whole = 3 }
    try left.write(7)
    let result = try left.update { value in
      value += 1
      return "turned"
    }
    #expect(result == "turned")
    #expect(left.value == 8)
    #expect(try left.read() == 8)
    #expect(try dials.read() == Dials(pair: .init(left: 8), whole: 3))
    #expect(left.status.value == .current)
  }

  @Test func `a lens sends the changes of its part only`() throws {
    let dials = try file()
    let left = dials.lens(\.pair).lens(\.left)
    let seen = left.recorded()
    try dials.update { $0.whole = 3 }
    try dials.lens(\.pair).lens(\.right).write(9)
    try left.write(1)
    #expect(seen.elements == [0, 1])
  }

  @Test func `a view that makes a lens in its body is redrawn`() throws {
    let dials = try file()
    let drawn = Recorder<Int>()
    withObservationTracking {
      _ = dials.lens(\.pair).lens(\.left).value
    } onChange: {
      drawn.record(dials.value.pair.left)
    }
    try dials.lens(\.pair.left).write(1)
    #expect(drawn.elements == [1])
  }

  @Test func `an error of the closure leaves the file unchanged`() async throws {
    let dials = try file()
    let left = dials.lens(\.pair).lens(\.left)
    #expect(throws: Refusal()) {
      try left.update { value in
        value = 99
        throw Refusal()
      }
    }
    await #expect(throws: Refusal()) {
      try await left.update { value in
        value = 99
        throw Refusal()
      }
    }
    #expect(try dials.read() == Dials())
  }

  @Test func `a lens keeps undecodable content unless the call allows overwriting`() async throws {
    let dials = try file()
    let whole = dials.lens(\.whole)
    try await whole.write(3)
    try fixture.overwrite("dials.json", with: "[]")
    #expect(throws: AppGroupsFileError.self) { try whole.write(4) }
    await #expect(throws: AppGroupsFileError.self) { try await whole.write(4) }
    #expect(whole.value == 3)
    try await whole.update(overwriting: true) { $0 += 2 }
    #expect(try dials.read() == Dials(whole: 5))
  }

  @Test func `a lens may stand where a shared value is expected`() async throws {
    func turn(_ value: some SharedValue<Int>) async throws -> Int {
      try await value.write(1)
      try await value.update { $0 += 1 }
      #expect(value.status.value == .current)
      return try await value.read() + value.value
    }
    func turnNow(_ value: some BlockingSharedValue<Int>) throws -> Int {
      try value.write(4)
      try value.update(overwriting: false) { $0 += 1 }
      return try value.read()
    }
    let stored = try fixture.suite().preference("dials", default: Dials())
    for lens in [stored.lens(\.whole), stored.lens(\.pair.left)] {
      #expect(try await turn(lens) == 4)
      #expect(try turnNow(lens) == 5)
    }
    #expect(try await turn(file().lens(\.whole)) == 4)
    #expect(stored.value == Dials(pair: .init(left: 5), whole: 5))
  }

  @Test func `the property of a lens keeps the file observed`() async throws {
    let property = try file().lens(\.pair).lens(\.left).property
    try await file().lens(\.pair).lens(\.left).write(4)
    try await property.firstValue("the part in the file") { $0 == 4 }
  }

  @Test func `four processes that write a file through different lenses lose nothing`() async throws {
    let count = Scale.count(250, torture: 5_000)
    let dials = try file()
    let lefts = dials.lens(\.pair.left).recorded()
    try await turnInFourProcesses { side in
      "turn dials.json \(side) \(count)"
    } meanwhile: {
      for _ in 0..<count { try await dials.lens(\.whole).update { $0 += 1 } }
    }
    #expect(try dials.read() == Dials(pair: .init(left: 2 * count, right: 2 * count), whole: count))
    try await lefts.wait(for: 2 * count)
    #expect(zip(lefts.elements, lefts.elements.dropFirst()).allSatisfy { $0 < $1 }, "the part never went back")
  }

  @Test func `four processes that write a value of a suite through different lenses lose nothing`() async throws {
    let count = Scale.count(100, torture: 2_000)
    let dials = try fixture.suite().preference("dials", default: Dials())
    try await turnInFourProcesses { side in
      "suite-turn dials \(side) \(count)"
    } meanwhile: {
      for _ in 0..<count { try await dials.lens(\.whole).update { $0 += 1 } }
    }
    #expect(try dials.read() == Dials(pair: .init(left: 2 * count, right: 2 * count), whole: count))
  }

  /// Lets two processes turn the left dial and two the right one, while this one does something else.
  private func turnInFourProcesses(
    _ command: @escaping @Sendable (_ side: String) -> String,
    meanwhile work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let peers = try await withThrowingTaskGroup(of: PeerProcess.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let peer = try await fixture.suitePeer()
          try await peer.send("container \(fixture.path)")
          return peer
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, peer) in peers.enumerated() {
        group.addTask { try await peer.send(command(index < 2 ? "left" : "right")) }
      }
      group.addTask { try await work() }
      try await group.waitForAll()
    }
  }
}
