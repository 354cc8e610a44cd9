import Dispatch
import Foundation

/// Runs a closure on several threads at once, and returns when all have ended.
///
/// The threads start their work together, so that they contend.
public func withThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
  let start = DispatchSemaphore(value: 0)
  let end = DispatchGroup()
  for index in 0..<count {
    end.enter()
    Thread {
      start.wait()
      body(index)
      end.leave()
    }.start()
  }
  for _ in 0..<count { start.signal() }
  end.wait()
}
