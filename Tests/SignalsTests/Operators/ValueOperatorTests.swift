import Signals
import TestSupport
import Testing

/// Each operator is compared with the sequence algorithm of the same name, on random input.
@Suite("Operators on values")
struct ValueOperatorTests {
  /// Sends `input` through `signal` and returns the output, with "|" for the end.
  private func run<Output: Sendable>(
    _ input: [Int],
    through shape: (Emitter<Int, Never>) -> some Signal<Output, Never>
  ) -> [String] {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = shape(emitter).sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { log.add("\($0)") }
    )
    for value in input { emitter.send(value) }
    emitter.finish()
    withExtendedLifetime(subscription) {}
    return log.entries
  }

  @Test(arguments: randomInputs) func `map sends each transformed value`(input: [Int]) {
    #expect(run(input) { $0.map { $0 * 10 } } == input.map { "\($0 * 10)" } + ["|"])
  }

  @Test(arguments: randomInputs) func `consecutive maps apply their closures in order, once per value`(input: [Int]) {
    let calls = Log<String>()
    let shape: @Sendable (Emitter<Int, Never>) -> MapSignal<Emitter<Int, Never>, String> = { emitter in
      emitter.map { $0 + 1 }.map { value in
        calls.add("\(value)")
        return value * 10
      }.map { "<\($0)>" }
    }
    #expect(run(input, through: shape) == input.map { "<\(($0 + 1) * 10)>" } + ["|"])
    #expect(calls.entries == input.map { "\($0 + 1)" })
  }

  @Test(arguments: randomInputs) func `filter sends the values that satisfy the condition`(input: [Int]) {
    #expect(run(input) { $0.filter { $0 % 2 == 0 } } == input.filter { $0 % 2 == 0 }.map(String.init) + ["|"])
  }

  @Test(arguments: randomInputs) func `compactMap omits nil`(input: [Int]) {
    let transform: @Sendable (Int) -> Int? = { $0 == 1 ? nil : $0 + 1 }
    #expect(run(input) { $0.compactMap(transform) } == input.compactMap(transform).map(String.init) + ["|"])
  }

  @Test(arguments: randomInputs) func `removeDuplicates omits repeated values`(input: [Int]) {
    let expected = input.enumerated().filter { $0.offset == 0 || input[$0.offset - 1] != $0.element }.map(\.element)
    #expect(run(input) { $0.removeDuplicates() } == expected.map(String.init) + ["|"])
  }

  @Test(arguments: randomInputs) func `removeDuplicates by a closure compares with the last value sent`(input: [Int]) {
    var expected: [Int] = []
    for value in input where expected.last.map({ abs($0 - value) > 1 }) ?? true { expected.append(value) }
    #expect(run(input) { $0.removeDuplicates { abs($0 - $1) <= 1 } } == expected.map(String.init) + ["|"])
  }

  @Test(arguments: randomInputs) func `scan sends each running result`(input: [Int]) {
    var sum = 100
    let expected = input.map { value in
      sum += value
      return "\(sum)"
    }
    #expect(run(input) { $0.scan(100, +) } == expected + ["|"])
  }

  @Test(arguments: randomInputs) func `type erasure changes nothing`(input: [Int]) {
    #expect(run(input) { $0.map { -$0 }.eraseToAnySignal().map { -$0 } } == input.map(String.init) + ["|"])
  }

  @Test func `each subscription to scan and removeDuplicates has its own state`() {
    let emitter = Emitter<Int, Never>()
    let sums = emitter.scan(0, +)
    let distinct = emitter.removeDuplicates()
    let log = Log<String>()
    let early = [sums.sink { log.add("s1 \($0)") }, distinct.sink { log.add("d1 \($0)") }]
    emitter.send(1)
    let late = [sums.sink { log.add("s2 \($0)") }, distinct.sink { log.add("d2 \($0)") }]
    emitter.send(1)
    #expect(log.entries == ["s1 1", "d1 1", "s1 2", "s2 1", "d2 1"])
    withExtendedLifetime((early, late)) {}
  }

  @Test func `every operator passes a failure`() {
    let emitter = Emitter<Int, Mishap>()
    let log = Log<Mishap>()
    let subscription =
      emitter.map { $0 + 1 }.filter { $0 > 0 }.compactMap { $0 }.removeDuplicates().scan(0, +).eraseToAnySignal()
      .sink(
        receiveCompletion: { completion in
          if case .failure(let mishap) = completion { log.add(mishap) }
        },
        receiveValue: { _ in }
      )
    emitter.send(1)
    emitter.fail(.flood)
    #expect(log.entries == [.flood])
    withExtendedLifetime(subscription) {}
  }

  @Test func `operators work on values re-entrantly`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = emitter.removeDuplicates().scan(0, +).sink { sum in
      log.add(sum)
      if sum < 10 { emitter.send(sum + 1) }
    }
    emitter.send(1)
    #expect(log.entries == [1, 3, 7, 15])
    withExtendedLifetime(subscription) {}
  }
}
