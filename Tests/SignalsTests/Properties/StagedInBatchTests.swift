import Signals
import SignalsTesting
import Testing

@Suite("Staged values inside a batch")
struct StagedInBatchTests {
  @Test func `a value staged inside a batch is readable at once and sent when the batch ends`() {
    let number = MutableProperty(1)
    let text = MutableProperty("one")
    let both = Property.derived(number, text) { "\($0) \($1)" }
    let (numbers, pairs) = (number.recorded(), both.recorded())
    batch {
      number.stage(2).send()
      #expect(number.value == 2)
      #expect(numbers.elements == [1])
      text.value = "two"
    }
    #expect(numbers.elements == [1, 2])
    #expect(pairs.elements == ["1 one", "2 two"])
  }

  @Test func `a batch ended by a different function than began it sends its changes once`() {
    let (first, second) = (MutableProperty(1), MutableProperty(1))
    let sums = Property.derived(first, second) { $0 + $1 }.recorded()
    func begin() -> OpenBatch {
      let open = OpenBatch()
      first.stage(2).send()
      second.value = 2
      return open
    }
    let open = begin()
    #expect(sums.elements == [2])
    open.end()
    #expect(sums.elements == [2, 4])
  }
}
