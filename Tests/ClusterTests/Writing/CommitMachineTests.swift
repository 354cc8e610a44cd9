import Testing

@testable import Cluster

@Suite("A change of a cluster, as a state machine")
struct CommitMachineTests {
  private var machine = CommitMachine(marker: 5)

  @Test mutating func `a change that is answered is made once`() {
    #expect(machine.handle(.written(9)) == .finish(9))
    #expect(machine.marker == 9)
  }

  @Test mutating func `a failed comparison is a conflict`() {
    #expect(machine.handle(.refused(marker: 5)) == .conflict)
  }

  @Test mutating func `an attempt that was not sent is repeated`() {
    #expect(machine.handle(.unsent) == .send)
    #expect(machine.handle(.written(7)) == .finish(7))
  }

  @Test mutating func `case 8: the marker shows that an attempt without an answer was made`() {
    #expect(machine.handle(.unanswered) == .send)
    #expect(machine.handle(.refused(marker: 8)) == .finish(8))
    #expect(machine.marker == 8)
  }

  @Test mutating func `case 8: an attempt that may be under way is settled before a conflict is reported`() {
    #expect(machine.handle(.unanswered) == .send)
    #expect(machine.handle(.refused(marker: 5)) == .settle)
    #expect(machine.handle(.written(12)) == .conflict)
    #expect(machine.marker == 12)
  }

  @Test mutating func `case 8: an attempt that arrives while it is being settled was made`() {
    _ = machine.handle(.unanswered)
    _ = machine.handle(.refused(marker: 5))
    #expect(machine.handle(.unanswered) == .settle)
    #expect(machine.handle(.refused(marker: 11)) == .finish(11))
  }

  @Test mutating func `case 8: a lost answer to settling is not mistaken for the change`() {
    _ = machine.handle(.unanswered)
    _ = machine.handle(.refused(marker: 5))
    #expect(machine.handle(.unanswered) == .settle)
    #expect(machine.handle(.refused(marker: 11, by: .settling)) == .conflict)
    #expect(machine.marker == 11)
  }

  @Test mutating func `case 8: without the lease, an attempt without an answer stays uncertain`() {
    _ = machine.handle(.unanswered)
    #expect(machine.handle(.leaseLost) == .uncertain)
  }

  @Test mutating func `case 8: a marker that disappeared with its lease proves nothing`() {
    _ = machine.handle(.unanswered)
    #expect(machine.handle(.refused(marker: 0)) == .uncertain)
  }

  @Test mutating func `without an attempt under way, a lost lease is replaced`() {
    #expect(machine.handle(.leaseLost) == .renew)
    #expect(machine.handle(.refused(marker: 0)) == .renew)
  }

  @Test mutating func `at the deadline, the change was not made or its outcome is uncertain`() {
    #expect(machine.handle(.late) == .give)
    _ = machine.handle(.unanswered)
    #expect(machine.handle(.late) == .uncertain)
    #expect(machine.handle(.impossible) == .uncertain)
  }
}
