import Testing

@testable import Signals

@Suite("A ring buffer")
struct RingBufferTests {
  @Test func `it releases the memory of a burst when it becomes empty`() {
    var buffer = RingBuffer<Int>()
    for round in 1...2 {
      for value in 1...5_000 { buffer.append(value) }
      #expect(buffer.capacity >= 5_000)
      for value in 1...5_000 where buffer.popFirst() != value { Issue.record("value \(value) of round \(round)") }
      #expect(buffer.isEmpty)
      #expect(buffer.capacity <= 4_096)
    }
  }

  @Test func `it keeps the memory of a few elements for reuse`() {
    var buffer = RingBuffer<Int>()
    for value in 1...1_000 { buffer.append(value) }
    while buffer.popFirst() != nil {}
    #expect(buffer.capacity == 1_024)
  }
}
