import Dispatch
import Signals
import TestSupport
import Testing

@testable import FileSignals

@Suite(.patient) struct `A delayed call` {
  /// A queue whose time the test controls.
  private final class Agenda: Sendable {
    private let scheduled = Guarded<[(pause: Duration, call: @Sendable () -> Void)]>([])

    var schedule: DelayedCall.Schedule {
      // Weak, because a call that never runs retains its delayed call, and that this closure.
      { [weak self] pause, call in self?.scheduled.withLock { $0.append((pause, call)) } }
    }

    var pauses: [Duration] { scheduled.withLock { $0.map(\.pause) } }

    /// Runs everything that is scheduled, and returns the number of calls.
    @discardableResult
    func run() -> Int {
      let due = scheduled.withLock { exchange(&$0, with: []) }
      for (_, call) in due { call() }
      return due.count
    }
  }

  private let agenda = Agenda()
  private let log = Log<String>()

  @Test func `runs once for all requests before it`() {
    let call = DelayedCall(.constant(.milliseconds(20)), schedule: agenda.schedule)
    #expect(!call.isDue)
    for number in 1...3 { call.request { [log] in log.append("\(number)") } }
    #expect(call.isDue)
    #expect(agenda.pauses == [.milliseconds(20)])
    #expect(log.all.isEmpty)
    agenda.run()
    #expect(log.all == ["1"])
    #expect(!call.isDue)
    call.request { [log] in log.append("4") }
    agenda.run()
    #expect(log.all == ["1", "4"])
    #expect(agenda.run() == 0)
  }

  @Test func `runs again for a request during its run`() {
    let call = DelayedCall(.constant(.zero), schedule: agenda.schedule)
    call.request { [log] in
      log.append("first")
      call.request { log.append("second") }
    }
    agenda.run()
    #expect(log.all == ["first"])
    #expect(call.isDue)
    agenda.run()
    #expect(log.all == ["first", "second"])
  }

  @Test func `pauses longer each time, and starts over after a reset`() {
    let call = DelayedCall(.exponential(from: .seconds(1), upTo: .seconds(4)), schedule: agenda.schedule)
    for pause in [1, 2, 4, 4] {
      call.request {}
      #expect(agenda.pauses == [.seconds(pause)])
      agenda.run()
    }
    call.reset()
    call.request {}
    #expect(agenda.pauses == [.seconds(1)])
  }

  @Test func `keeps its pause when reset while it is due`() {
    let call = DelayedCall(.exponential(from: .seconds(1), upTo: .seconds(4)), schedule: agenda.schedule)
    call.request {}
    call.reset()
    call.request {}
    #expect(agenda.pauses == [.seconds(1)])
  }

  @Test func `ignores requests after the last pause until it is reset`() {
    let call = DelayedCall(.constant(.seconds(1), limit: 2), schedule: agenda.schedule)
    for _ in 1...3 {
      call.request { [log] in log.append("call") }
      agenda.run()
    }
    #expect(log.all.count == 2)
    #expect(!call.isDue)
    call.reset()
    call.request { [log] in log.append("call") }
    agenda.run()
    #expect(log.all.count == 3)
  }

  @Test func `is scheduled once, whichever threads request it`() {
    let call = DelayedCall(.constant(.zero), schedule: agenda.schedule)
    for round in 1...200 {
      withThreads(4) { [log] _ in call.request { log.append("call") } }
      #expect(agenda.run() == 1)
      #expect(log.all.count == round)
    }
  }

  @Test(arguments: [Duration.zero, .milliseconds(1)])
  func `runs on its queue`(after pause: Duration) async {
    let queue = DispatchQueue(label: "delayed")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    DelayedCall(.constant(pause), on: queue).request { [log] in
      log.append(DispatchQueue.getSpecific(key: key) == true ? "queue" : "elsewhere")
    }
    await log.wait { $0 == ["queue"] }
  }
}
