import Synchronization

/// Runs steps that lead to further steps one after the other, so that they do not deepen the stack.
@usableFromInline
struct Trampoline: ~Copyable, Sendable {
  /// How many steps there are to take; whoever adds the first takes them all.
  private let due = Atomic<Int>(0)

  @usableFromInline
  init() {}

  /// Takes a step, unless one is being taken: who takes that one, perhaps this thread further up, then takes this, too.
  ///
  /// - Parameter step: The step, which is always the same.
  @usableFromInline
  borrowing func run(_ step: () -> Void) {
    guard due.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { step() } while due.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}
