import Dispatch
import Foundation
import TestSupport
import Testing

@testable import FileSignals

@Suite(.seeded, .patient) struct `Calls that may block` {
  /// A call that waits after its start until the test releases it.
  private final class Gate: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let starts = Log<Int>()

    func pass(_ number: Int = 0) -> Int {
      starts.append(number)
      end.wait()
      return number
    }

    func started(_ count: Int = 1) async { await starts.wait { $0.count == count } }

    var started: [Int] { starts.all }

    func open(_ count: Int = 1) {
      for _ in 0..<count { end.signal() }
    }
  }

  @Test func `return their results, and throw their errors`() async throws {
    struct Refusal: Error {}
    let calls = BlockingCalls(width: 1)
    #expect(try await calls.run { 7 } == 7)
    await #expect(throws: Refusal.self) { try await calls.run { throw Refusal() } }
  }

  @Test func `leave the threads of tasks free, however many calls wait`() async throws {
    let calls = BlockingCalls(width: 1)
    let gate = Gate()
    let tasks = (0..<100).map { number in Task { try await calls.run { gate.pass(number) } } }
    await gate.started()
    // While a hundred calls wait, more tasks than the pool has threads run and suspend.
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await Task.yield() } }
    }
    #expect(gate.started.count == 1)
    gate.open(100)
    var numbers: Set<Int> = []
    for task in tasks { numbers.insert(try await task.value) }
    #expect(numbers == Set(0..<100))
  }

  @Test func `start in the order in which they were made`() async throws {
    let calls = BlockingCalls(width: 1)
    let gate = Gate()
    let order = Log<Int>()
    let first = Task { try await calls.run { gate.pass() } }
    await gate.started()
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<50 {
      tasks.append(Task { try await calls.run { order.append(number) } })
      try await eventually { calls.waitingCount == number + 1 }
    }
    gate.open()
    _ = try await first.value
    for task in tasks { try await task.value }
    #expect(order.all == Array(0..<50))
  }

  @Test func `run concurrently up to their limit`() async throws {
    let calls = BlockingCalls(width: 3)
    let gate = Gate()
    let tasks = (0..<9).map { number in Task { try await calls.run { gate.pass(number) } } }
    for count in [3, 6, 9] {
      await gate.started(count)
      try await eventually { calls.waitingCount == 9 - count }
      #expect(gate.started.count == count)
      gate.open(3)
    }
    for task in tasks { _ = try await task.value }
  }

  // MARK: Cancellation

  @Test func `do not start for a cancelled task`() async throws {
    let calls = BlockingCalls(width: 1)
    let runs = Log<Int>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await calls.run { runs.append(1) }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.all.isEmpty)
  }

  @Test func `never start once cancelled, and throw at once, whatever is queued before them`() async throws {
    let calls = BlockingCalls(width: 1)
    let gate = Gate()
    let first = Task { try await calls.run { gate.pass() } }
    await gate.started()
    let second = Task { try await calls.run { gate.pass(2) } }
    let third = Task { try await calls.run { 3 } }
    try await eventually { calls.waitingCount == 2 }
    second.cancel()
    // The first call is still running.
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.open()
    #expect(try await first.value == 0)
    #expect(try await third.value == 3)
    #expect(gate.started == [0])
  }

  @Test func `run to their end once started, even for a cancelled task`() async throws {
    let calls = BlockingCalls(width: 1)
    let gate = Gate()
    let task = Task { try await calls.run { gate.pass(5) } }
    await gate.started()
    task.cancel()
    gate.open()
    #expect(try await task.value == 5)
  }

  @Test(arguments: [1, 3]) func `either run or throw, whenever their tasks are cancelled`(width: Int) async throws {
    let calls = BlockingCalls(width: width)
    let runs = Log<Int>()
    var chance = Chance()
    var returned: [Int] = []
    var cancelled = 0
    for round in 0..<40 {
      let tasks = (0..<25).map { index in
        Task {
          try await calls.run {
            runs.append(round * 25 + index)
            return round * 25 + index
          }
        }
      }
      for task in tasks where chance.once(in: 2) {
        if chance.once(in: 4) { await Task.yield() }
        task.cancel()
      }
      for task in tasks {
        do {
          returned.append(try await task.value)
        } catch is CancellationError {
          cancelled += 1
        }
      }
    }
    #expect(returned.count + cancelled == 1000)
    #expect(runs.all.sorted() == returned.sorted())
  }

  // MARK: Held threads

  @Test func `may continue after their result, and count until they end`() async throws {
    let calls = BlockingCalls(width: 1)
    let gate = Gate()
    let result = try await calls.hold { answer in
      answer(.success(1))
      _ = gate.pass()
    }
    #expect(result == 1)
    let next = Task { try await calls.run { 2 } }
    try await eventually { calls.waitingCount == 1 }
    await gate.started()
    #expect(calls.waitingCount == 1)
    gate.open()
    #expect(try await next.value == 2)
  }

  @Test func `take no threads from other queues, however many of them block`() async throws {
    let gate = Gate()
    let tasks = (0..<100).map { number in Task { try await BlockingCalls(width: 1).run { gate.pass(number) } } }
    await gate.started(100)
    #expect(try await BlockingCalls(width: 1).run { 1 } == 1)
    gate.open(100)
    for task in tasks { _ = try await task.value }
  }

  // MARK: Files

  @Test func `run one at a time for one file, run concurrently for two, and leave no queue behind`() async throws {
    let (one, other) = (URL(filePath: "/one-\(UUID())"), URL(filePath: "/other-\(UUID())"))
    let gate = Gate()
    let first = Task { try await BlockingCalls.run(for: one) { gate.pass(1) } }
    await gate.started()
    let second = Task { try await BlockingCalls.run(for: one) { gate.pass(2) } }
    #expect(try await BlockingCalls.run(for: other) { 3 } == 3)
    #expect(gate.started == [1])
    #expect(BlockingCalls.filesInUse.isSuperset(of: [one.path]) && !BlockingCalls.filesInUse.contains(other.path))
    gate.open(2)
    _ = try await (first.value, second.value)
    #expect(gate.started == [1, 2])
    #expect(!BlockingCalls.filesInUse.contains(one.path))
  }
}
