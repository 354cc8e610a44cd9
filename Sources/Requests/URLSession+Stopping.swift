#if canImport(FoundationNetworking)
  import Foundation
  package import FoundationNetworking

  extension URLSession {
    /// A Boolean value that indicates whether ``stop(_:)`` may be called.
    ///
    /// A cache is asked on a thread of low priority before a request is sent, and that thread also passes on what was
    /// called meanwhile. A cancellation can then arrive after the end of the task, and ends the process.
    package var canStop: Bool { configuration.urlCache == nil }

    /// Cancels a task of this session, whatever it is doing.
    ///
    /// In Swift 6.3 on Linux, `cancel()` has two steps on the session's own queue. If the task ends by itself between
    /// them, and the delegate's queue performs that end, the second step does not find the task and ends the process.
    /// So both steps run while the delegate's queue, which must be serial, is busy with this closure.
    ///
    /// The call returns at once. The task ends as after `cancel()`, unless it has already ended.
    ///
    /// - Parameter task: The task.
    package func stop(_ task: URLSessionTask) {
      delegateQueue.addOperation {
        guard task.state != .completed else { return }
        task.cancel()
        // Each read waits until the session's queue has performed the step before it.
        _ = task.priority
        _ = task.priority
      }
    }
  }
#else
  package import Foundation

  extension URLSession {
    /// A Boolean value that indicates whether ``stop(_:)`` may be called.
    package var canStop: Bool { true }

    /// Cancels a task of this session, whatever it is doing.
    package func stop(_ task: URLSessionTask) { task.cancel() }
  }
#endif
