import Foundation
import Signals

/// The last state that was decoded or encoded, because most reads find the same bytes again.
final class StateMemory: Sendable {
  private let last = Guarded<(state: ContainerState, data: Data)?>(nil)

  /// Returns the state that has these bytes, if it is the last one.
  func state(from data: Data) -> ContainerState? {
    guard let last = last.withLock({ $0 }), last.data == data else { return nil }
    return last.state
  }

  /// Returns the bytes of a state, if it is the last one.
  func data(of state: ContainerState) -> Data? {
    guard let last = last.withLock({ $0 }), last.state == state else { return nil }
    return last.data
  }

  func keep(_ state: ContainerState, as data: Data) {
    last.replace { exchange(&$0, with: (state, data)) }
  }
}
