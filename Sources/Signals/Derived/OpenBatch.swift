/// A batch that one function of a thread begins and another one ends.
///
/// Use it when changes are made while a lock is held, and sent after it has been released. Everywhere else, call
/// ``batch(_:)``. Until the batch ends, its thread must not run user code.
package struct OpenBatch: ~Copyable {
  private let frame: BatchFrame

  /// Begins a batch on the calling thread.
  package init() {
    frame = BatchFrame.enter()
  }

  /// Ends the batch on the thread that began it.
  ///
  /// Sends the changes, unless an outer batch is open.
  package consuming func end() {
    frame.leave()
  }
}

@available(*, unavailable)
extension OpenBatch: Sendable {}
