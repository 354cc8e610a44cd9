import Contexts
import Foundation
import TokenServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A user whose token is a secret.
struct Account: SessionUser {
  let id: String
  var expiration: Date?
  var token: String

  private enum CodingKeys: String, CodingKey { case id, expiration }

  init(_ grant: TokenServer.Grant) {
    id = grant.user
    token = grant.token
    expiration = Date(timeIntervalSinceNow: grant.lifetime)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    expiration = try container.decodeIfPresent(Date.self, forKey: .expiration)
    token = ""
  }

  var secret: Data? {
    get { Data(token.utf8) }
    set { token = String(decoding: newValue ?? Data(), as: UTF8.self) }
  }
}

/// Speaks with the server.
final class Client: AuthControllerDelegate {
  private let server: URL
  private let session: URLSession

  init(server: URL) {
    self.server = server
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 5
    session = URLSession(configuration: configuration)
  }

  func authenticate() async throws -> Account { Account(try await ask("login")) }

  func refreshAuthentication(with user: Account) async throws -> Account {
    Account(try await ask("renew", token: user.token))
  }

  func deauthenticate(_ user: Account) async throws {
    _ = try await send("logout", token: user.token)
  }

  private func ask(_ path: String, token: String? = nil) async throws -> TokenServer.Grant {
    try JSONDecoder().decode(TokenServer.Grant.self, from: try await send(path, token: token))
  }

  private func send(_ path: String, token: String?) async throws -> Data {
    var request = URLRequest(url: server.appending(path: path))
    request.httpMethod = "POST"
    if let token { request.setValue(token, forHTTPHeaderField: "Authorization") }
    let (data, response) = try await session.data(for: request)
    switch (response as? HTTPURLResponse)?.statusCode {
    case 200: return data
    case let status? where [400, 401].contains(status):
      throw AuthRejection(reason: String(decoding: data, as: UTF8.self), status: status)
    default: throw URLError(.badServerResponse)
    }
  }
}
