import Dispatch
import Signals

/// A gate that is closed until it is opened.
public final class Gate: Sendable {
  private let isOpen = MutableProperty(false)

  /// Creates a closed gate.
  public init() {}

  /// Opens the gate for all waiting and later callers.
  public func open() { isOpen.value = true }

  /// Blocks the thread until the gate is open.
  public func block() {
    let semaphore = DispatchSemaphore(value: 0)
    let subscription = isOpen.sink { if $0 { semaphore.signal() } }
    semaphore.wait()
    subscription.cancel()
  }

  /// Waits until the gate is open.
  public func pass() async throws { try await isOpen.firstValue("an open gate") { $0 } }
}
