import Foundation

/// The sessions that the server has granted, in memory or in a file that survives the server.
struct TokenLedger {
  private struct Session: Codable {
    let user: String
    /// The token to present next.
    var token: String
    /// The token before, which counts until the next is used: the answer with the next one may have been lost.
    var previous: String?
  }

  private let file: URL?
  private var sessions: [Session] = []

  /// Opens the ledger.
  init(file: URL?) throws {
    self.file = file
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
    guard let token, let index = index(of: token) else { return nil }
    sessions[index].previous = token
    sessions[index].token = UUID().uuidString
    return try answer(index)
  }

  /// Ends the session of a token.
  mutating func end(_ token: String?) throws {
    guard let token, let index = index(of: token) else { return }
    sessions.remove(at: index)
    try save()
  }

  private func index(of token: String) -> Int? { sessions.firstIndex { $0.token == token || $0.previous == token } }

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
