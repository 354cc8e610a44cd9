import CLibrary
import Synchronization

/// Counts the steps of an operation, and kills or stops the process at a certain one.
final class StepCounter: Sendable {
  private let victim: Int
  private let act: @Sendable () -> Void
  private let passed = Atomic(0)

  /// - Parameters:
  ///   - victim: The number of the step that is the last; 0 for none.
  ///   - act: Called at that step; kills the process by default.
  init(_ victim: Int, act: @escaping @Sendable () -> Void = { kill(getpid(), SIGKILL) }) {
    (self.victim, self.act) = (victim, act)
  }

  /// The number of steps until now.
  var steps: Int { passed.load(ordering: .relaxed) }

  func count() {
    if passed.add(1, ordering: .relaxed).newValue == victim { act() }
  }
}
