@testable import AppGroups
import Dispatch
import FileSignals
import Foundation
import Testing

@Suite("Conclusions from reading a file")
final class SharedFileStateTests {
  let url = URL(filePath: "/tmp/value")
  let one = Data("1".utf8)
  let two = Data("2".utf8)
  var state = SharedFileState()

  /// The last requested retry and its delay.
  var awaited: Int?
  var pause: Duration?

  /// Concludes from a read, and returns the conclusion as a word.
  func look(_ look: SharedFileState.Look<Int>, since epoch: UInt64? = nil, isRetry: Bool = false) -> String {
    switch state.conclude(look, begunIn: epoch ?? state.epoch, retry: isRetry ? awaited : nil) {
    case .lookAgain: return "again"
    case .nothing: return "nothing"
    case .news(let value): return "news \(value)"
    case .retry(let number, let pause):
      (awaited, self.pause) = (number, pause)
      return "retry"
    case .report: return "report"
    }
  }

  @discardableResult
  func adopt(_ data: Data) -> Bool {
    state.adopt(data)
  }

  @Test
  func `new content is reported once`() {
    #expect(look(.content(one, 1)) == "news 1")
    #expect(state.known == one)
  }

  @Test
  func `own bytes are reported once and never as an echo`() {
    #expect(adopt(one))
    #expect(!adopt(one))
    #expect(look(.unchanged) == "nothing")
  }

  @Test
  func `a read that began before a write is ignored, so the value cannot go back`() {
    let start = state.epoch
    adopt(two)
    #expect(look(.content(one, 1), since: start) == "again")
    #expect(state.known == two)
  }

  @Test
  func `a read that began before a write of equal bytes is ignored, too`() {
    adopt(two)
    let start = state.epoch
    adopt(two)
    #expect(look(.content(one, 1), since: start) == "again")
  }

  @Test
  func `bad content is read three more times, and then reported once`() {
    let empty = SharedFileState.Look<Int>.failure(.empty(url))
    #expect(look(empty) == "retry")
    #expect(look(empty) == "nothing", "an event does not hasten the retry")
    #expect(look(empty, isRetry: true) == "retry")
    #expect(look(empty, isRetry: true) == "retry")
    #expect(state.problem == nil)
    #expect(look(empty, isRetry: true) == "report")
    #expect(state.problem == .empty(url))
    #expect(look(empty) == "nothing")
  }

  @Test
  func `a retry of an earlier fault does not hasten the retries of a later one`() {
    let empty = SharedFileState.Look<Int>.failure(.empty(url))
    _ = look(empty)
    let old = awaited
    adopt(one)
    #expect(look(empty) == "retry")
    if case .nothing = state.conclude(empty, begunIn: state.epoch, retry: old) {
    } else {
      Issue.record("The retry was counted")
    }
    #expect(look(empty, isRetry: true) == "retry")
  }

  @Test
  func `a retry that may have been due during a pause is requested again`() {
    let empty = SharedFileState.Look<Int>.failure(.empty(url))
    #expect(look(empty) == "retry")
    let old = awaited
    state.forgetRetry()
    #expect(look(empty) == "retry")
    if case .nothing = state.conclude(empty, begunIn: state.epoch, retry: old) {
    } else {
      Issue.record("The old retry was counted")
    }
    #expect((0..<3).map { _ in look(empty, isRetry: true) } == ["retry", "retry", "report"])
    state.forgetRetry()
    #expect(look(empty) == "nothing", "it has been reported")
  }

  @Test
  func `another fault is checked anew`() {
    for _ in 0..<4 { _ = look(.failure(.missing(url)), isRetry: true) }
    #expect(state.problem == .missing(url))
    #expect(look(.failure(.empty(url))) == "retry")
    #expect(state.problem == .missing(url))
  }

  @Test
  func `good content recovers, even if it equals the previous content`() {
    adopt(one)
    for _ in 0..<4 { _ = look(.failure(.empty(url)), isRetry: true) }
    #expect(look(.unchanged) == "nothing")
    #expect(state.problem == nil)
    #expect(look(.failure(.empty(url))) == "retry")
  }

  @Test
  func `a fault whose end causes no event is retried after its report`() {
    let full = SharedFileState.Look<Int>.failure(.inaccessible(.descriptorLimitReached(url)))
    _ = look(full)
    #expect((0..<3).map { _ in look(full, isRetry: true) } == ["retry", "retry", "report"])
    #expect(look(full) == "retry")
    #expect(look(full) == "nothing", "an event does not hasten it")
    #expect((0..<10).map { _ in look(full, isRetry: true) } == Array(repeating: "retry", count: 10))
    #expect(look(.failure(.empty(url))) == "retry", "another fault does not wait for it")
    #expect((0..<3).map { _ in look(.failure(.empty(url)), isRetry: true) } == ["retry", "retry", "report"])
    #expect(look(.failure(.empty(url))) == "nothing", "an event reports the end of that fault")
    #expect(look(.content(one, 1)) == "news 1")
    #expect(state.problem == nil)
  }

  @Test
  func `the delay of an old fault does not slow the retries of a new one`() {
    let full = SharedFileState.Look<Int>.failure(.inaccessible(.descriptorLimitReached(url)))
    let denied = SharedFileState.Look<Int>.failure(.inaccessible(.permissionDenied(url, operation: "read")))
    for _ in 0..<10 { _ = look(full, isRetry: true) }
    #expect(pause == .seconds(30))
    #expect((0..<4).map { _ in look(denied, isRetry: true) } == ["retry", "retry", "retry", "report"])
    #expect(look(denied) == "retry")
    #expect(pause == .seconds(1))
  }

  @Test
  func `a write recovers`() {
    for _ in 0..<4 { _ = look(.failure(.empty(url)), isRetry: true) }
    adopt(one)
    #expect(state.problem == nil)
  }
}
