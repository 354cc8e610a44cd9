import Synchronization

/// A loop that runs steps which cause further steps one after another, so that they do not deepen the stack.
@usableFromInline
struct Trampoline: ~Copyable, Sendable {
  /// The number of steps to run.
  ///
  /// The thread that adds the first one runs them all.
  private let due = Atomic<Int>(0)

  @usableFromInline
  init() {}

  /// Runs a step.
  ///
  /// If a step is already running, on another thread or further up the stack, that thread runs this one afterwards.
  ///
  /// - Parameter step: The step, which must always be the same.
  @usableFromInline
  borrowing func run(_ step: () -> Void) {
    guard due.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { step() } while due.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}
