import Signals
import SignalsTesting
import Testing

@Suite("A recorder")
struct RecorderTests {
  private let numbers = Emitter<Int, Never>()

  @Test func `it keeps all elements in order`() {
    let recorder = numbers.recorded()
    for number in 1...5 { numbers.send(number) }
    #expect(recorder.elements == [1, 2, 3, 4, 5])
  }

  @Test func `a wait ends with the element it waits for, even if that came before`() async throws {
    let recorder = numbers.recorded()
    numbers.send(1)
    #expect(try await recorder.first { $0 == 1 } == 1)
    async let two = recorder.first { $0 == 2 }
    async let three = recorder.wait { $0.count == 3 }
    Task.detached { [numbers] in for number in 2...3 { numbers.send(number) } }
    #expect(try await two == 2)
    #expect(try await three == [1, 2, 3])
    try await recorder.wait(for: 3)
  }

  @Test func `a failed wait reports what was recorded instead`() async {
    let recorder = numbers.recorded()
    numbers.send(7)
    let error = await #expect(throws: RecorderTimeout.self) {
      try await recorder.wait(for: "an eight", timeout: .milliseconds(20)) { $0.contains(8) }
    }
    #expect(error?.description == #"Timed out waiting for an eight. Elements recorded: 1. Last: ["7"]"#)
  }

  // Not `.patient`: waits in the support of other tests have another default.
  @Test(.timeLimit(.minutes(1)))
  func `a failed wait without a time limit ends after seconds, not minutes`() async {
    await #expect(throws: RecorderTimeout.self) { try await numbers.recorded().wait(for: 8) }
  }

  @Test func `cancelling the task ends its wait`() async {
    let recorder = numbers.recorded()
    let task = Task { try await recorder.wait(for: 8) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `it records as long as it lives`() {
    weak var gone: Recorder<Int>?
    do {
      let recorder = numbers.recorded()
      gone = recorder
      withExtendedLifetime(recorder) {}
    }
    #expect(gone == nil)
    numbers.send(1)
  }
}
