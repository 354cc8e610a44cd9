import CSQLite
import Signals

/// A switch that ends a read while it runs, on another thread.
final class ReadInterruption: Sendable {
  private struct State {
    var isCancelled = false
    /// The address of the connection, while the read uses it.
    var connection: UInt?
  }

  private let state = Guarded(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Records the connection that the read uses from now on.
  func begin(on connection: SQLiteConnection) {
    let address = UInt(bitPattern: connection.handle)
    state.withLock { $0.connection = address }
  }

  /// Records that the read no longer uses the connection, which may then serve other reads.
  func end() {
    state.withLock { $0.connection = nil }
  }

  /// Ends the statement that the read is running, and lets no other begin.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      // Sound: with the lock held, the read cannot end, so the connection is open and serves no other read.
      if let address = state.connection { sqlite3_interrupt(OpaquePointer(bitPattern: address)) }
    }
  }
}
