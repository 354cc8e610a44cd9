import Foundation
import Testing

@testable import Inspector
@testable import Panel

/// The limit for the changes of a stream.
@Suite struct ChangeSamplingTests {
  private func change(_ number: Int, _ resource: String) -> InspectorChange {
    InspectorChange(
      sequence: "\(number)", resource: resource, kind: .file, operation: .update,
      at: Date(timeIntervalSince1970: 0), summary: "")
  }

  @Test func `no change is lost without being counted`() {
    var sampling = ChangeSampling()
    var now = ContinuousClock.now
    var (sent, skipped) = (0, 0)
    // A hundred thousand changes of 1,000 resources in one second.
    for number in 0..<100_000 {
      now += .microseconds(10)
      if sampling.add(change(number, "file/\(number % 1000)"), at: now) != nil { sent += 1 }
      guard number % 2000 == 0 else { continue }
      sent += sampling.due(at: now).count
      skipped += sampling.takeGap(at: now)?.skipped ?? 0
    }
    #expect(sent <= 600)
    for _ in 0..<1000 where sampling.isHolding {
      now += .milliseconds(20)
      sent += sampling.due(at: now).count
      skipped += sampling.takeGap(at: now)?.skipped ?? 0
    }
    #expect(!sampling.isHolding)
    #expect(sent + skipped == 100_000)
  }

  @Test func `the last change of a resource is sent, whatever came before it`() {
    var sampling = ChangeSampling()
    let start = ContinuousClock.now
    for number in 0..<50 { _ = sampling.add(change(number, "file/a"), at: start) }
    #expect(sampling.due(at: start).isEmpty)
    #expect(sampling.due(at: start + .milliseconds(100)).map(\.sequence) == ["49"])
    #expect(sampling.takeGap(at: start + .milliseconds(100))?.skipped == 48)
  }
}
