import Signals
import Synchronization
import TestSupport
import Testing

@Suite("FutureSignal", .patient)
struct FutureSignalTests {
  private func failing(_ signal: some Signal<Int, Mishap>) -> AnySignal<Int, Mishap> { signal.eraseToAnySignal() }
  private func neverFailing(_ signal: some Signal<Int, Never>) -> AnySignal<Int, Never> { signal.eraseToAnySignal() }
  private func erased(_ signal: AnySignal<Int, Mishap>) -> AnySignal<Int, Mishap> { signal }
  private func answer() async -> Int { 42 }
  private func fail() async throws(Mishap) -> Int { throw .fire }

  @Test func `the value is sent, and then the end`() async {
    var values: [Int] = []
    for await value in FutureSignal({ await answer() }).values { values.append(value) }
    #expect(values == [42])
  }

  @Test func `a leading dot works wherever a signal is expected`() async throws {
    let reference = neverFailing(.future(answer))
    #expect(await reference.firstValue() == 42)
    let sure = neverFailing(.future { @Sendable in await answer() })
    #expect(await sure.firstValue() == 42)
    let risky = failing(.future(fail))
    await #expect(throws: Mishap.fire) { _ = try await risky.firstValue() }
    let hidden = erased(.future { () throws(Mishap) in try await fail() })
    await #expect(throws: Mishap.fire) { _ = try await hidden.firstValue() }
  }

  @Test func `an error thrown by the call is the failure, with its own type`() async {
    let signal: FutureSignal<Int, Mishap> = FutureSignal(fail)
    do throws(Mishap) {
      _ = try await signal.firstValue()
      Issue.record("The failure was not delivered")
    } catch {
      #expect(error == .fire)
    }
  }

  @Test func `each subscription makes the call again, and none is made before`() async {
    let calls = Counter()
    let signal = FutureSignal { calls.add() }
    #expect(calls.value == 0)
    #expect(await signal.firstValue() == 1)
    #expect(await signal.firstValue() == 2)
  }

  @Test func `cancelling cancels the task and drops its result`() async {
    let begun = Emitter<Void, Never>(replay: 1)
    let returned = Emitter<Bool, Never>(replay: 1)
    let log = Log<String>()
    let signal = FutureSignal {
      begun.send()
      _ = await Emitter<Void, Never>.lasting.firstValue()
      returned.send(Task.isCancelled)
      return 1
    }
    let subscription = signal.sink(
      receiveCompletion: { _ in log.add("end") },
      receiveValue: { log.add("\($0)") }
    )
    _ = await begun.firstValue()
    subscription.cancel()
    #expect(await returned.firstValue() == true)
    #expect(log.entries.isEmpty)
  }

  @Test func `cancelling releases the subscriber's captures at once`() async {
    let begun = Emitter<Void, Never>(replay: 1)
    let released = Counter()
    let mayReturn = Emitter<Void, Never>(replay: 1)
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      // The call ignores its cancellation.
      let signal = FutureSignal {
        begun.send()
        await Task.detached { _ = await mayReturn.firstValue() }.value
      }
      subscription = signal.sink { probe.touch() }
    }
    _ = await begun.firstValue()
    subscription.cancel()
    #expect(released.value == 1)
    mayReturn.send()
  }

  @Test func `the call inherits the subscriber's priority and task-local values`() async {
    await Traits.$name.withValue("local") {
      #expect(await FutureSignal { Traits.name }.firstValue() == "local")
    }
  }

  @Test func `the call may run on the main actor`() async {
    let isMain = FutureSignal { @MainActor in
      MainActor.assertIsolated()
      return true
    }
    #expect(await isMain.firstValue() == true)
  }
}

private enum Traits {
  @TaskLocal static var name = "global"
}

extension Emitter<Void, Never> {
  /// An emitter that sends nothing and never ends.
  fileprivate static let lasting = Emitter<Void, Never>()
}
