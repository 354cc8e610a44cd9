#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  extension URLSession {
    /// Cancels a task of this session, whatever it is doing.
    ///
    /// In Swift 6.3 on Linux, `cancel()` has two steps on the session's own queue. If the task ends by itself between
    /// them, and the delegate's queue performs that end, the second step does not find the task and ends the process.
    /// So both steps run while the delegate's queue, which must be serial, is busy with this closure.
    ///
    /// The call returns at once. The task ends as after `cancel()`, unless it has already ended. The session must have no
    /// cache: a cache is asked on a thread of low priority before a request is sent, and a cancellation that comes
    /// meanwhile can arrive after the end of the task, and ends the process.
    ///
    /// - Parameter task: The task.
    func stop(_ task: URLSessionTask) {
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
  import Foundation

  extension URLSession {
    /// Cancels a task of this session, whatever it is doing.
    func stop(_ task: URLSessionTask) { task.cancel() }
  }
#endif
