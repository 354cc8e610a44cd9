import Foundation
import Signals

/// The network through which the members of a cluster reach one of them, and which a test can cut.
///
/// A cut connection stays open and silent, as that to a machine that cannot be reached. When the network is mended, the
/// bytes that were under way arrive.
public final class MemberNetwork: Sendable {
  /// The port that the other members use.
  public let port: UInt16

  private struct State {
    var isClosed = false
    var isCut = false
    /// The identities of the members whose connections are cut, in hexadecimal digits.
    var cutMembers: Set<String> = []
    /// The opposite ends of all connections.
    var sockets: [ObjectIdentifier: LoopbackSocket] = [:]
  }

  private let state: Changeable<State>
  private let listener: LoopbackSocket

  /// Creates a network to a port of the loopback interface.
  init(to target: UInt16) throws {
    let listener = try LoopbackSocket.bound()
    try listener.listen()
    let state = Changeable(State())
    (self.listener, self.state, port) = (listener, state, listener.port)
    Thread {
      while let connection = Self.next(listener) { Self.serve(connection, target, state) }
    }.start()
  }

  deinit {
    listener.shutDown()
    let sockets = state.change { state in
      state.isClosed = true
      return Array(state.sockets.values)
    }
    for socket in sockets { socket.shutDown() }
  }

  /// Cuts the connections of one member, or of all.
  func cut(from member: String? = nil) {
    state.change { state in
      if let member { state.cutMembers.insert(member) } else { state.isCut = true }
    }
  }

  /// Mends all connections.
  func mend() {
    state.change { ($0.isCut, $0.cutMembers) = (false, []) }
  }

  // MARK: Connections

  private static func next(_ listener: LoopbackSocket) -> LoopbackSocket? {
    do {
      return try listener.accept()
    } catch {
      // The network is not used any more.
      return nil
    }
  }

  private static func serve(_ near: LoopbackSocket, _ target: UInt16, _ state: Changeable<State>) {
    Thread {
      do {
        let far = try LoopbackSocket.connect(to: target, timeout: 0)
        // The header of the first request has the identity of the member.
        let first = try near.receive()
        let member = String(decoding: first, as: UTF8.self)
          .firstMatch(of: /X-Server-From: *([0-9a-f]+)/.ignoresCase()).map { String($0.1) }
        let isOpen = state.change { state in
          for socket in [near, far] { state.sockets[ObjectIdentifier(socket)] = socket }
          return !state.isClosed
        }
        guard isOpen else { return }
        Thread { pass(from: far, to: near, of: member, state) }.start()
        try send(first, to: far, of: member, state)
        pass(from: near, to: far, of: member, state)
      } catch {
        // The member has ended, and the connection ends with this.
        near.shutDown()
      }
    }.start()
  }

  private static func pass(
    from source: LoopbackSocket, to sink: LoopbackSocket, of member: String?, _ state: Changeable<State>
  ) {
    do {
      while true {
        let data = try source.receive()
        if data.isEmpty { break }
        try send(data, to: sink, of: member, state)
      }
    } catch {
      // One end is closed, and so is the other.
    }
    for socket in [source, sink] { socket.shutDown() }
    state.change { state in
      for socket in [source, sink] { state.sockets[ObjectIdentifier(socket)] = nil }
    }
  }

  private static func send(
    _ data: Data, to sink: LoopbackSocket, of member: String?, _ state: Changeable<State>
  ) throws {
    state.wait { state in
      state.isClosed || !(state.isCut || member.map(state.cutMembers.contains) ?? false)
    }
    try sink.send(data)
  }
}

extension [EtcdServer] {
  /// Cuts one member off from the others, in both directions.
  public func cutOff(_ index: Int) async throws {
    let answer = try await self[index].post("v3/maintenance/status", [:])
    guard let text = answer.firstMatch(of: /"member_id":"([0-9]+)"/)?.1, let number = UInt64(text) else {
      throw EtcdServer.Failure(description: answer)
    }
    for (position, server) in enumerated() {
      if position == index { server.network?.cut() } else { server.network?.cut(from: String(number, radix: 16)) }
    }
  }

  /// Mends the network between all members.
  public func mend() {
    for server in self { server.network?.mend() }
  }
}
