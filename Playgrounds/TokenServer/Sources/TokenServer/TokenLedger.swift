import Foundation

/// The sessions that the server has granted, in memory or in a file that survives the server.
struct TokenLedger {
  private struct Session: Codable {
    let user: String
    /// The token to present next.
    var token: String
    /// The token that was exchanged last.
    var previous: String?
    /// The date at which the previous token was exchanged.
    var exchanged: Date?
  }

  private let file: URL?
  private let leeway: TimeInterval
  private var sessions: [Session] = []
  private(set) var reuses = 0

  /// Opens the ledger.
  init(file: URL?, leeway: TimeInterval) throws {
    self.file = file
    self.leeway = leeway
    guard let file, FileManager.default.fileExists(atPath: file.path) else { return }
    sessions = try JSONDecoder().decode([Session].self, from: Data(contentsOf: file))
  }

  /// Begins a session of a user.
  mutating func begin(_ user: String) throws -> (user: String, token: String) {
    sessions.append(Session(user: user, token: UUID().uuidString))
    return try answer(sessions.count - 1)
  }

  /// Exchanges a token, or returns `nil` if it is not valid.
  mutating func exchange(_ token: String?) throws -> (user: String, token: String)? {
    if let index = sessions.firstIndex(where: { $0.token == token }) {
      (sessions[index].previous, sessions[index].exchanged) = (token, Date())
      sessions[index].token = UUID().uuidString
      return try answer(index)
    }
    guard let token, let index = sessions.firstIndex(where: { $0.previous == token }) else { return nil }
    reuses += 1
    // The answer with the next token may have been lost. The leeway counts from the first exchange.
    if let exchanged = sessions[index].exchanged, Date().timeIntervalSince(exchanged) < leeway {
      sessions[index].token = UUID().uuidString
      return try answer(index)
    }
    // Two clients have the same token, and one of them may be a thief.
    sessions.remove(at: index)
    try save()
    return nil
  }

  /// Ends the session of a token, even if it was exchanged just now.
  mutating func end(_ token: String?) throws {
    guard let token else { return }
    sessions.removeAll { $0.token == token || $0.previous == token }
    try save()
  }

  /// Saves first: after a crash, no client has a token that the server does not know.
  private func answer(_ index: Int) throws -> (user: String, token: String) {
    try save()
    return (sessions[index].user, sessions[index].token)
  }

  private func save() throws {
    guard let file else { return }
    try JSONEncoder().encode(sessions).write(to: file, options: .atomic)
  }
}
