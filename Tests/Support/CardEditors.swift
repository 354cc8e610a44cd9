/// Processes that edit different fields of one card, which all of them have read before.
public struct CardEditors {
  /// The processes, each with its field.
  public let peers: [(field: String, process: PeerProcess)]

  /// Starts three processes that open a card with a command, and read it.
  public init(opening command: String) async throws {
    var peers: [(String, PeerProcess)] = []
    for field in ["title", "text", "color"] {
      let process = try PeerProcess()
      try await process.send(command)
      try await process.send("card-read")
      peers.append((field, process))
    }
    self.peers = peers
  }

  /// Lets each process edit its field, first one after the other and then at once.
  ///
  /// - Returns: The fields at the end, and the number of merges of each process in its first edit.
  public func edit(_ count: Int) async throws -> (card: String, merges: [String]) {
    var merges: [String] = []
    // What the second and the third have read is old.
    for peer in peers { merges.append(try await peer.process.send("card-edit \(peer.field) 1")) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers {
        group.addTask { try await peer.process.send("card-edit \(peer.field) \(count - 1)") }
      }
      try await group.waitForAll()
    }
    return (try await peers[0].process.send("card-read"), merges)
  }

  /// Lets a second process replace a card that the first has changed meanwhile.
  ///
  /// - Returns: The error of the second process, and the card.
  public func collide() async throws -> (error: String?, card: String) {
    try await peers[0].process.send("card-replace \(peers[0].field)")
    var refusal: String?
    do {
      try await peers[1].process.send("card-replace \(peers[1].field)")
    } catch PeerProcess.Failure.refused(_, let answer) {
      refusal = answer
    }
    return (refusal, try await peers[2].process.send("card-read"))
  }
}
