import Signals
import TestSupport
import Testing

/// Operators named after a sequence algorithm are compared with it on random input, both with a source that sends at
/// once and with a source that is sent to.
@Suite("Operators on the sequence of values")
struct SequenceOperatorTests {
  private func expect<Output: Sendable>(
    _ input: [Int],
    through shape: (AnySignal<Int, Never>) -> some Signal<Output, Never>,
    gives expected: some Sequence<Output>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = expected.map { "\($0)" } + ["|"]
    #expect(shape(.from(input)).traced == expected, "at once", sourceLocation: sourceLocation)

    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = shape(emitter.eraseToAnySignal()).trace(in: log)
    for value in input { emitter.send(value) }
    emitter.finish()
    #expect(log.entries == expected, "one by one", sourceLocation: sourceLocation)
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: randomInputs) func `prefix sends the first values`(input: [Int]) {
    for count in [-1, 0, 1, 2, 5, 100] {
      expect(input, through: { $0.prefix(count) }, gives: input.prefix(max(0, count)))
    }
    expect(input, through: { $0.first() }, gives: input.prefix(1))
  }

  @Test(arguments: randomInputs) func `prefix while sends the values before the first that does not match`(input: [Int])
  {
    expect(input, through: { $0.prefix { $0 < 3 } }, gives: input.prefix { $0 < 3 })
  }

  @Test(arguments: randomInputs) func `dropFirst omits the first values`(input: [Int]) {
    expect(input, through: { $0.dropFirst() }, gives: input.dropFirst())
    for count in [-1, 0, 1, 2, 5, 100] {
      expect(input, through: { $0.dropFirst(count) }, gives: input.dropFirst(max(0, count)))
    }
  }

  @Test(arguments: randomInputs) func `drop while begins with the first value that does not match`(input: [Int]) {
    expect(input, through: { $0.drop { $0 < 2 } }, gives: input.drop { $0 < 2 })
  }

  @Test(arguments: randomInputs) func `first and last where send at most one value`(input: [Int]) {
    let isOdd: @Sendable (Int) -> Bool = { !$0.isMultiple(of: 2) }
    expect(input, through: { $0.first(where: isOdd) }, gives: input.first(where: isOdd).map { [$0] } ?? [])
    expect(input, through: { $0.last(where: isOdd) }, gives: input.last(where: isOdd).map { [$0] } ?? [])
    expect(input, through: { $0.last() }, gives: input.suffix(1))
  }

  @Test(arguments: randomInputs) func `reduce and similar operators send one value`(input: [Int]) {
    expect(input, through: { $0.reduce(7) { $0 * 3 + $1 } }, gives: [input.reduce(7) { $0 * 3 + $1 }])
    expect(input, through: { $0.count() }, gives: [input.count])
    expect(input, through: { $0.collect() }, gives: [input])
    expect(input, through: { $0.contains(2) }, gives: [input.contains(2)])
    expect(input, through: { $0.contains { $0 > 2 } }, gives: [input.contains { $0 > 2 }])
    expect(input, through: { $0.allSatisfy { $0 > 0 } }, gives: [input.allSatisfy { $0 > 0 }])
  }

  @Test(arguments: randomInputs) func `min and max send at most one value`(input: [Int]) {
    expect(input, through: { $0.min() }, gives: input.min().map { [$0] } ?? [])
    expect(input, through: { $0.max() }, gives: input.max().map { [$0] } ?? [])
    // The choice among equal values must match, too.
    let pairs = Array(input.enumerated()).map { "\($0.element)-\($0.offset)" }
    let order: @Sendable (String, String) -> Bool = { $0.prefix(1) < $1.prefix(1) }
    #expect(pairs.signal.min(by: order).traced.dropLast() == (pairs.min(by: order).map { [$0] } ?? [])[...])
    #expect(pairs.signal.max(by: order).traced.dropLast() == (pairs.max(by: order).map { [$0] } ?? [])[...])
  }

  @Test func `nil counts as a value`() {
    let values: [Int?] = [1, nil]
    #expect(values.signal.last().traced == ["nil", "|"])
    #expect(values.signal.first { $0 == nil }.traced == ["nil", "|"])
    #expect(values.signal.replaceEmpty(with: 5).traced == ["Optional(1)", "nil", "|"])
  }

  @Test(arguments: randomInputs) func `reduce can produce an optional`(input: [Int]) {
    let last: @Sendable (Int?, Int) -> Int? = { $1 > 1 ? $1 : nil }
    expect(input, through: { $0.reduce(nil, last) }, gives: [input.reduce(nil, last)])
  }

  @Test(arguments: randomInputs) func `collect forms groups`(input: [Int]) {
    for count in [1, 2, 3, 7] {
      let groups = stride(from: 0, to: input.count, by: count).map { Array(input[$0..<min($0 + count, input.count)]) }
      expect(input, through: { $0.collect(count) }, gives: groups)
    }
    expect(input, through: { $0.collect(0) }, gives: input.map { [$0] })
  }

  @Test(arguments: randomInputs) func `output selects by position`(input: [Int]) {
    expect(input, through: { $0.output(at: 3) }, gives: input.dropFirst(3).prefix(1))
    expect(input, through: { $0.output(in: 2..<5) }, gives: input.dropFirst(2).prefix(3))
    expect(input, through: { $0.output(in: 2...5) }, gives: input.dropFirst(2).prefix(4))
    expect(input, through: { $0.output(in: ...2) }, gives: input.prefix(3))
    expect(input, through: { $0.output(in: 4...) }, gives: input.dropFirst(4))
    expect(input, through: { $0.output(in: 4..<4) }, gives: [])
    expect(input, through: { $0.output(in: -2..<2) }, gives: input.prefix(2))
    expect(input, through: { $0.output(in: -2...2) }, gives: input.prefix(3))
    expect(input, through: { $0.output(in: (-2)...) }, gives: input)
  }

  @Test(arguments: randomInputs) func `negative positions select no value`(input: [Int]) {
    expect(input, through: { $0.output(in: -5 ..< -2) }, gives: [])
    expect(input, through: { $0.output(in: -5 ... -2) }, gives: [])
    expect(input, through: { $0.output(in: ..<(-1)) }, gives: [])
    expect(input, through: { $0.output(in: ...(-1)) }, gives: [])
  }

  @Test(arguments: randomInputs) func `append and prepend concatenate`(input: [Int]) {
    expect(input, through: { $0.append(8, 9) }, gives: input + [8, 9])
    expect(input, through: { $0.append(8...9) }, gives: input + [8, 9])
    expect(input, through: { $0.append(JustSignal(8)) }, gives: input + [8])
    expect(input, through: { $0.prepend(8, 9) }, gives: [8, 9] + input)
    expect(input, through: { $0.prepend(8...9) }, gives: [8, 9] + input)
    expect(input, through: { $0.prepend(JustSignal(8)) }, gives: [8] + input)
    expect(input, through: { concat(.just(7), $0, .empty(), .from([8, 9])) }, gives: [7] + input + [8, 9])
  }

  @Test(arguments: randomInputs) func `replaceEmpty and replaceNil fill gaps`(input: [Int]) {
    expect(input, through: { $0.replaceEmpty(with: 9) }, gives: input.isEmpty ? [9] : input)
    let smallOnes: @Sendable (Int) -> Int? = { $0 < 2 ? $0 : nil }
    expect(input, through: { $0.map(smallOnes).replaceNil(with: 9) }, gives: input.map { smallOnes($0) ?? 9 })
  }

  @Test(arguments: randomInputs) func `ignoreOutput sends only the end`(input: [Int]) {
    expect(input, through: { $0.ignoreOutput() }, gives: [])
  }

  @Test(arguments: randomInputs) func `handleEvents changes nothing`(input: [Int]) {
    let events = Log<String>()
    expect(input, through: { $0.handleEvents(receiveOutput: { events.add("\($0)") }) }, gives: input)
    #expect(events.entries == (input + input).map { "\($0)" })
  }

  @Test(arguments: randomInputs) func `long chains agree with the sequence algorithms of the same names`(input: [Int]) {
    expect(
      input,
      through: { $0.dropFirst().prefix { $0 != 3 }.append(1, 2, 3).drop { $0 == 0 }.prefix(4).collect(2) },
      gives: [Int]((input.dropFirst().prefix { $0 != 3 } + [1, 2, 3]).drop { $0 == 0 }.prefix(4)).grouped(by: 2)
    )
  }

  @Test func `an infallible signal can be given a failure type`() {
    let numbers: some Signal<Int, Mishap> = [1, 2].signal.setFailureType(to: Mishap.self)
    #expect(numbers.traced == ["1", "2", "|"])
    #expect(numbers.append(FailSignal(.fire)).traced == ["1", "2", "#"])
  }

  @Test func `every operator passes a failure and drops incomplete results`() {
    func trace<Output: Sendable>(_ shape: (Emitter<Int, Mishap>) -> some Signal<Output, Mishap>) -> String {
      let emitter = Emitter<Int, Mishap>()
      let log = Log<String>()
      let subscription = shape(emitter).trace(in: log)
      for value in 1...3 { emitter.send(value) }
      emitter.fail(.fire)
      withExtendedLifetime(subscription) {}
      return log.entries.joined(separator: " ")
    }
    #expect(trace { $0.prefix(4) } == "1 2 3 #")
    #expect(trace { $0.prefix { $0 < 9 } } == "1 2 3 #")
    #expect(trace { $0.prefix(untilOutputFrom: NeverSignal<Int, Never>()) } == "1 2 3 #")
    #expect(trace { $0.dropFirst(2) } == "3 #")
    #expect(trace { $0.drop { $0 < 3 } } == "3 #")
    #expect(trace { $0.drop(untilOutputFrom: .just(0)) } == "1 2 3 #")
    #expect(trace { $0.last() } == "#")
    #expect(trace { $0.reduce(0, +) } == "#")
    #expect(trace { $0.collect() } == "#")
    #expect(trace { $0.collect(2) } == "[1, 2] #")
    #expect(trace { $0.ignoreOutput() } == "#")
    #expect(trace { $0.append(4) } == "1 2 3 #")
    #expect(trace { $0.prepend(0) } == "0 1 2 3 #")
    #expect(trace { concat($0, .just(4)) } == "1 2 3 #")
    #expect(trace { $0.replaceEmpty(with: 0) } == "1 2 3 #")
    #expect(trace { $0.handleEvents() } == "1 2 3 #")
    #expect(trace { $0.replaceEmpty(with: 0).dropFirst(3).replaceEmpty(with: 0) } == "#")
  }
}

extension Array {
  fileprivate func grouped(by count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}
