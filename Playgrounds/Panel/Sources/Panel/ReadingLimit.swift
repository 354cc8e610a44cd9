import FlyingSocks

/// Sockets whose connections end if the other side reads nothing for too long.
///
/// Without a limit, a page that does not read would keep its place among the streams as long as it is open.
struct ReadingLimit: AsyncSocketPool {
  private let pool: any AsyncSocketPool
  private let limit: Duration

  /// Creates sockets with a limit.
  ///
  /// - Parameters:
  ///   - limit: The longest time for which nothing can be written, because the other side has not read.
  ///   - pool: The pool that waits for the sockets.
  init(_ limit: Duration, of pool: any AsyncSocketPool) {
    (self.limit, self.pool) = (limit, pool)
  }

  func prepare() async throws { try await pool.prepare() }

  func run() async throws { try await pool.run() }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    guard events.contains(.write) else { return try await pool.suspendSocket(socket, untilReadyFor: events) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.suspendSocket(socket, untilReadyFor: events) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw SocketError.disconnected
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
