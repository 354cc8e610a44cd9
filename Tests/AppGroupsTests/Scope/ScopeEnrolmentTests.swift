import AppGroups
import Dispatch
import Signals
import TestSupport
import Testing

@Suite("Enrolling in a scope while its contents are switched", .patient)
struct ScopeEnrolmentTests {
  /// A member that calls closures during a switch.
  private final class Member: ScopeMember {
    let whenHeld: @Sendable () -> Void
    let whenPrepared: @Sendable () -> Void
    let threadAtWork = Guarded<UInt?>(nil)

    init(whenHeld: @escaping @Sendable () -> Void = {}, whenPrepared: @escaping @Sendable () -> Void = {}) {
      (self.whenHeld, self.whenPrepared) = (whenHeld, whenPrepared)
    }

    var delaysSwitchOnThisThread: Bool { threadAtWork.withLock { $0 == ThreadIdentity.current.address } }

    func holdForSwitch(within patience: Duration?) -> Bool {
      whenHeld()
      return true
    }

    func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
      whenPrepared()
      return PreparedSwitch()
    }
  }

  private let directory: TemporaryDirectory
  private let scope: Scope

  init() throws {
    directory = try TemporaryDirectory()
    scope = Scope(root: directory.url)
  }

  @Test func `a member that another thread enrols waits for the switch, in which it has no part`() async throws {
    let (hasBegun, isEnrolled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (early, prepared) = (Recorder<Bool>(), Recorder<String>())
    let first = Member(whenPrepared: {
      hasBegun.signal()
      early.record(isEnrolled.wait(timeout: .now() + .milliseconds(100)) == .success)
    })
    let enrolment = scope.enrol(first)
    async let switching: Void = onThread { [scope] in try scope.switchContents {} }
    let late = Member(whenPrepared: { prepared.record("late") })
    let lateEnrolment = try await onThread { [scope] in
      hasBegun.wait()
      defer { isEnrolled.signal() }
      return scope.enrol(late)
    }
    try await switching
    #expect(early.elements == [false])
    #expect(prepared.elements == [])
    enrolment.cancel()
    try scope.switchContents {}
    #expect(prepared.elements == ["late"])
    lateEnrolment.cancel()
  }

  @Test func `a member that is enrolled by the work that a switch waits for takes part in it`() async throws {
    let (isAwaited, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let prepared = Recorder<String>()
    let busy = Member(whenHeld: {
      isAwaited.signal()
      isDone.wait()
      isDone.signal()
    })
    let late = Member(whenPrepared: { prepared.record("late") })
    let enrolment = scope.enrol(busy)
    async let switching: Void = onThread { [scope] in try scope.switchContents {} }
    let lateEnrolment = try await onThread { [scope] in
      busy.threadAtWork.withLock { $0 = ThreadIdentity.current.address }
      isAwaited.wait()
      let enrolment = scope.enrol(late)
      busy.threadAtWork.withLock { $0 = nil }
      isDone.signal()
      return enrolment
    }
    try await switching
    #expect(prepared.elements == ["late"])
    enrolment.cancel()
    lateEnrolment.cancel()
  }

  @Test func `a member that the switch itself enrols belongs to the new contents`() throws {
    let prepared = Recorder<String>()
    let late = Member(whenPrepared: { prepared.record("late") })
    let lateEnrolment = Guarded<SignalSubscription?>(nil)
    let first = Member(whenPrepared: { [scope] in
      let enrolment = scope.enrol(late)
      lateEnrolment.withLock { $0 = enrolment }
    })
    let enrolment = scope.enrol(first)
    try scope.switchContents {}
    #expect(prepared.elements == [])
    enrolment.cancel()
    try scope.switchContents {}
    #expect(prepared.elements == ["late"])
    lateEnrolment.withLock { $0.take() }?.cancel()
  }
}
