@testable import AppGroups
import Dispatch
import FileSignals
import Foundation
import Testing

@Suite("What follows from a look at a file")
final class SharedFileStateTests {
  let url = URL(filePath: "/tmp/value")
  let one = Data("1".utf8)
  let two = Data("2".utf8)
  var state = SharedFileState()

  /// The last retry that was asked for, and after what time.
  var awaited: Int?
  var pause: Duration?

  /// Looks, and says in a word what follows.
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
  func `new content is news, and known afterwards`() {
    #expect(look(.content(one, 1)) == "news 1")
    #expect(state.known == one)
  }

  @Test
  func `own bytes are news once, and never an echo`() {
    #expect(adopt(one))
    #expect(!adopt(one))
    #expect(look(.unchanged) == "nothing")
  }

  @Test
  func `a look that began before a write does not count, so the value cannot go back`() {
    let start = state.epoch
    adopt(two)
    #expect(look(.content(one, 1), since: start) == "again")
    #expect(state.known == two)
  }

  @Test
  func `a look that began before equal bytes were written does not count either`() {
    adopt(two)
    let start = state.epoch
    adopt(two)
    #expect(look(.content(one, 1), since: start) == "again")
  }

  @Test
  func `bad content is looked at three times more, and then reported once`() {
    let empty = SharedFileState.Look<Int>.failure(.empty(url))
    #expect(look(empty) == "retry")
    #expect(look(empty) == "nothing", "an event does not hurry the retry")
    #expect(look(empty, isRetry: true) == "retry")
    #expect(look(empty, isRetry: true) == "retry")
    #expect(state.problem == nil)
    #expect(look(empty, isRetry: true) == "report")
    #expect(state.problem == .empty(url))
    #expect(look(empty) == "nothing")
  }

  @Test
  func `a retry of an earlier trouble does not hurry those of a later one`() {
    let empty = SharedFileState.Look<Int>.failure(.empty(url))
    _ = look(empty)
    let old = awaited
    adopt(one)
    #expect(look(empty) == "retry")
    if case .nothing = state.conclude(empty, begunIn: state.epoch, retry: old) {} else { Issue.record("It did") }
    #expect(look(empty, isRetry: true) == "retry")
  }

  @Test
  func `a retry that may have come while nobody looked is asked for anew`() {
    let empty = SharedFileState.Look<Int>.failure(.empty(url))
    #expect(look(empty) == "retry")
    let old = awaited
    state.forgetRetry()
    #expect(look(empty) == "retry")
    if case .nothing = state.conclude(empty, begunIn: state.epoch, retry: old) {} else { Issue.record("It counts") }
    #expect((0..<3).map { _ in look(empty, isRetry: true) } == ["retry", "retry", "report"])
    state.forgetRetry()
    #expect(look(empty) == "nothing", "it was reported")
  }

  @Test
  func `another fault is looked into anew`() {
    for _ in 0..<4 { _ = look(.failure(.missing(url)), isRetry: true) }
    #expect(state.problem == .missing(url))
    #expect(look(.failure(.empty(url))) == "retry")
    #expect(state.problem == .missing(url))
  }

  @Test
  func `good content recovers, also when it is what it was before`() {
    adopt(one)
    for _ in 0..<4 { _ = look(.failure(.empty(url)), isRetry: true) }
    #expect(look(.unchanged) == "nothing")
    #expect(state.problem == nil)
    #expect(look(.failure(.empty(url))) == "retry")
  }

  @Test
  func `what no event tells the end of is looked at again and again, after it was reported`() {
    let full = SharedFileState.Look<Int>.failure(.inaccessible(.descriptorLimitReached(url)))
    _ = look(full)
    #expect((0..<3).map { _ in look(full, isRetry: true) } == ["retry", "retry", "report"])
    #expect(look(full) == "retry")
    #expect(look(full) == "nothing", "an event does not hurry it")
    #expect((0..<10).map { _ in look(full, isRetry: true) } == Array(repeating: "retry", count: 10))
    #expect(look(.failure(.empty(url))) == "retry", "another fault does not wait for it")
    #expect((0..<3).map { _ in look(.failure(.empty(url)), isRetry: true) } == ["retry", "retry", "report"])
    #expect(look(.failure(.empty(url))) == "nothing", "of that, an event tells the end")
    #expect(look(.content(one, 1)) == "news 1")
    #expect(state.problem == nil)
  }

  @Test
  func `what is bad for another reason is not looked at the seldomer for how long the first one lasted`() {
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
