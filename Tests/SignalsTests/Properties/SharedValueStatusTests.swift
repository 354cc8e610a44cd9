import Signals
import Testing

@Suite("The status of a shared value in words")
struct SharedValueStatusTests {
  private struct Failure: Error, Hashable, CustomStringConvertible {
    var description: String { "The store is away." }
  }

  private typealias Status = SharedValueStatus<Failure>

  private func stale(for duration: Duration) -> String { "\(Status.stale(Failure(), since: .now - duration))" }

  @Test func `a status without a failure is one word`() {
    #expect([Status.current, .connecting, .missing].map { "\($0)" } == ["current", "connecting", "missing"])
  }

  @Test func `a stale value shows for how long, and the failure`() throws {
    let words = stale(for: .milliseconds(3200))
    let seconds = try #require(words.wholeMatch(of: /stale for (\d+\.\d) s: The store is away\./)?.1, "\(words)")
    #expect(try #require(Double(seconds)) >= 3.2)
    #expect("\(MutableProperty(Status.stale(Failure(), since: .now)))".contains("The store is away."))
  }

  @Test(arguments: [(300, "5 min"), (3 * 3600 + 60, "3 h"), (100 * 3600 + 60, "100 h")])
  func `a long time is shown in minutes or hours`(seconds: Int, time: String) {
    #expect(stale(for: .seconds(seconds)) == "stale for \(time): The store is away.")
  }

  @Test func `a value that becomes stale only later is stale for no time`() {
    #expect(stale(for: .seconds(-60)) == "stale for 0.0 s: The store is away.")
  }
}
