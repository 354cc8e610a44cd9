import FileSignals
import Testing

@Suite struct SharedObjectsTests {
  private final class Thing: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  private struct Refusal: Error {}

  private let things = SharedObjects<String, Thing>()

  @Test func `callers with an equal key share an object until it is released`() {
    var first: Thing? = things.object(of: "a") { Thing(1) }
    #expect(things.object(of: "a") { Thing(2) } === first)
    #expect(things.object(of: "b") { Thing(3) }.number == 3)
    #expect(things["a"] === first)
    first = nil
    #expect(things["a"] == nil)
    #expect(things.object(of: "a") { Thing(4) }.number == 4)
  }

  @Test func `an object that is of no use any more is replaced`() {
    let old = things.object(of: "a") { Thing(1) }
    let new = things.object(of: "a", where: { $0.number > 1 }) { Thing(2) }
    #expect(new.number == 2 && old.number == 1)
    #expect(things["a"] === new)
  }

  @Test func `the object of a thread that is slower is dropped`() {
    var fast: Thing?
    let slow = things.object(of: "a") {
      fast = things.object(of: "a") { Thing(1) }
      return Thing(2)
    }
    #expect(slow === fast && slow.number == 1)
  }

  @Test func `a failure leaves nothing behind`() {
    #expect(throws: Refusal.self) { try things.object(of: "a") { throw Refusal() } }
    #expect(things["a"] == nil)
  }
}
