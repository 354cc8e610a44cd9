import Signals
import TestSupport
import Testing

/// Simple sources can be written with a leading dot wherever an argument is a signal of some kind.
@Suite("Spelling of sources")
struct SpellingTests {
  private func text<Element, Failure>(of signal: some Signal<Element, Failure>) -> String {
    let log = Log<String>()
    let subscription = signal.sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.add("|")
        case .failure: log.add("#")
        }
      },
      receiveValue: { log.add("\($0)") }
    )
    withExtendedLifetime(subscription) {}
    return log.entries.joined()
  }

  private func neverFailing(_ signal: some Signal<Int, Never>) -> String { text(of: signal) }
  private func failing(_ signal: some Signal<Int, Mishap>) -> String { text(of: signal) }
  private func boxed(_ signal: any Signal<Int, Never>) -> String { text(of: signal.eraseToAnySignal()) }
  private func erased(_ signal: AnySignal<Int, Mishap>) -> String { text(of: signal) }

  @Test func `a leading dot works where an infallible signal is expected`() {
    #expect(neverFailing(.just(1)) == "1|")
    #expect(neverFailing(.empty()) == "|")
    #expect(neverFailing(.never()) == "")
    #expect(neverFailing(.from([1, 2])) == "12|")
    #expect(neverFailing(.from(1...3)) == "123|")
  }

  @Test func `a leading dot works where a fallible signal is expected`() {
    #expect(failing(.just(1)) == "1|")
    #expect(failing(.empty()) == "|")
    #expect(failing(.never()) == "")
    #expect(failing(.fail(.fire)) == "#")
    #expect(failing(.from([1, 2])) == "12|")
  }

  @Test func `a leading dot works where any failure is accepted`() {
    #expect(text(of: .just(1)) == "1|")
    #expect(text(of: .from(["a", "b"])) == "ab|")
  }

  @Test func `a leading dot works in the arguments of operators`() {
    #expect(text(of: [1].signal.append(.just(2)).append(.from([3]))) == "123|")
    #expect(text(of: [1].signal.combineLatest(.just("a"))) == "(1, \"a\")|")
    #expect(text(of: [1].signal.setFailureType(to: Mishap.self).append(.fail(.flood))) == "1#")
    #expect(text(of: [1].signal.merge(with: .just(2))) == "12|")
  }

  @Test func `a leading dot works where an erased signal is expected`() {
    #expect(erased(.just(1)) == "1|")
    #expect(erased(.fail(.fire)) == "#")
    #expect(erased(.empty()) == "|")
    #expect(erased(.never()) == "")
    #expect(erased(.from([1, 2])) == "12|")
  }

  @Test func `a leading dot works where a box is expected, and in opaque results`() {
    #expect(boxed(.just(1)) == "1|")
    #expect(text(of: merge(.just(1), [2].signal)) == "12|")
    #expect(text(of: concat(.just(1), .from([2, 3]))) == "123|")
    #expect(text(of: opaque()) == "1|")
  }

  private func opaque() -> some Signal<Int, Never> { .just(1) }

  @Test func `the types can be named`() {
    #expect(text(of: JustSignal(1)) == "1|")
    #expect(text(of: JustSignal<Int, Mishap>(1)) == "1|")
    #expect(text(of: EmptySignal<Int, Never>()) == "|")
    #expect(text(of: NeverSignal<Int, Never>()) == "")
    #expect(text(of: FailSignal<Int, Mishap>(.fire)) == "#")
    #expect(text(of: SequenceSignal([1, 2])) == "12|")
    #expect(text(of: DeferredSignal { JustSignal(1) }) == "1|")
  }
}
