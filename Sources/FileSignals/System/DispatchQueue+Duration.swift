package import Dispatch
import Signals

extension DispatchQueue {
  /// Runs a closure on the queue after a pause.
  package func async(after pause: Duration, execute work: @escaping @Sendable @convention(block) () -> Void) {
    asyncAfter(deadline: .now() + pause.inSeconds, execute: work)
  }
}
