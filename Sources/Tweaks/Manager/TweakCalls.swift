import Signals

/// The questions and callbacks that threads are busy with.
///
/// A provider, a hook or the log may use the manager. This is how the manager recognises a call that comes back.
struct TweakCalls {
  private var questions: [(thread: ThreadIdentity, question: TweakQuestion)] = []
  private var callbacks: [ThreadIdentity] = []

  /// A Boolean value that indicates whether the calling thread runs a hook or the log.
  var isCalledBack: Bool { !callbacks.isEmpty && callbacks.contains(.current) }

  /// The calling thread begins to ask, unless it is asking for the same already.
  mutating func begin(_ question: TweakQuestion) -> Bool {
    let thread = ThreadIdentity.current
    if questions.contains(where: { $0.thread == thread && $0.question == question }) { return false }
    questions.append((thread, question))
    return true
  }

  /// The calling thread has its answer.
  mutating func end(_ question: TweakQuestion) {
    let thread = ThreadIdentity.current
    if let index = questions.lastIndex(where: { $0.thread == thread && $0.question == question }) {
      questions.remove(at: index)
    }
  }

  /// The calling thread begins to run a hook or the log.
  mutating func beginCallback() { callbacks.append(.current) }

  /// The hook or the log has returned.
  mutating func endCallback() {
    if let index = callbacks.lastIndex(of: .current) { callbacks.remove(at: index) }
  }
}
