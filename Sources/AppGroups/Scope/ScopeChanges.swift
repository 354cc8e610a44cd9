import Signals

/// The changes to live values by a switch of a ``Scope``, collected so that all of them are sent as one.
///
/// The owner of the scope creates the object, lets the members publish into it while the contents are locked, unlocks
/// the contents, and then calls ``send()``. No lock is held while subscribers are called.
package final class ScopeChanges {
  private var openBatch: OpenBatch?
  private var actions: [() -> Void] = []

  /// Creates an object without changes.
  package init() {}

  /// A Boolean value that indicates whether there is nothing to send.
  package var isEmpty: Bool { openBatch == nil && actions.isEmpty }

  /// Writes properties as a part of the change.
  ///
  /// - Parameter body: Writes the properties. It runs at once, on this thread.
  package func publish(_ body: () -> Void) {
    if openBatch == nil { openBatch = OpenBatch() }
    body()
  }

  /// Adds an action that runs after all subscribers have received the change.
  ///
  /// - Parameter action: The action, such as sending an event.
  package func afterwards(_ action: @escaping () -> Void) { actions.append(action) }

  /// Sends the change, and runs the actions in the order in which they were added.
  package func send() {
    if let openBatch = openBatch.take() { openBatch.end() }
    while !actions.isEmpty {
      let actions = actions
      self.actions = []
      for action in actions { action() }
    }
  }
}

@available(*, unavailable)
extension ScopeChanges: Sendable {}
