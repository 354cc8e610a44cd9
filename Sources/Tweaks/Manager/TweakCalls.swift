import Signals

/// The questions and callbacks in progress on all threads.
///
/// A provider, a hook or the log may use the manager. The manager uses these entries to recognize reentrant calls.
struct TweakCalls {
  private var questions: [(thread: ThreadIdentity, question: TweakQuestion)] = []
  private var callbacks: [ThreadIdentity] = []

  /// A Boolean value that indicates whether the calling thread runs a hook or the log.
  var isCalledBack: Bool { !callbacks.isEmpty && callbacks.contains(.current) }

  /// Begins a question on the calling thread, unless the thread is already asking the same.
  mutating func begin(_ question: TweakQuestion) -> Bool {
    let thread = ThreadIdentity.current
    if questions.contains(where: { $0.thread == thread && $0.question == question }) { return false }
    questions.append((thread, question))
    return true
  }

  /// Ends a question on the calling thread.
  mutating func end(_ question: TweakQuestion) {
    let thread = ThreadIdentity.current
    if let index = questions.lastIndex(where: { $0.thread == thread && $0.question == question }) {
      questions.remove(at: index)
    }
  }

  /// Marks that the calling thread runs a hook or the log.
  mutating func beginCallback() { callbacks.append(.current) }

  /// Marks that the hook or the log has returned.
  mutating func endCallback() {
    if let index = callbacks.lastIndex(of: .current) { callbacks.remove(at: index) }
  }
}
