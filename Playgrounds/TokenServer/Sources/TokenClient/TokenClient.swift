public import Contexts
public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Speaks with the server that issues tokens.
///
/// A session calls it when a token must be renewed, once for all processes. The session decides when, and whether a
/// late answer still counts.
public final class TokenClient: AuthControllerDelegate {
  private let server: URL
  private let session: URLSession

  /// Creates a client.
  ///
  /// - Parameter server: The address of the server.
  public init(server: URL) {
    self.server = server
    let configuration = URLSessionConfiguration.ephemeral
    // Every call must end in a bounded time, because other processes wait for it.
    configuration.timeoutIntervalForRequest = 5
    session = URLSession(configuration: configuration, delegate: StaysWithServer(), delegateQueue: nil)
  }

  /// Follows no redirection, because it could carry the token to another server.
  private final class StaysWithServer: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      #if canImport(FoundationNetworking)
        // An answer for a cancelled task would end the process.
        guard task.state == .running else { return }
      #endif
      completionHandler(nil)
    }
  }

  /// Logs in the user with a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: The user with a token.
  /// - Throws: An error of the connection, or ``/Contexts/AuthRejection``.
  public func logIn(_ name: String) async throws -> Account { try await ask("login", body: name) }

  /// Logs in the user of the system, for `triggerLogin()`.
  ///
  /// - Returns: The user with a token.
  /// - Throws: The errors of ``logIn(_:)``.
  public func authenticate() async throws -> Account { try await logIn(NSUserName()) }

  /// Exchanges a token for the next one.
  ///
  /// - Parameter user: The user with the old token.
  /// - Returns: The user with the new token.
  /// - Throws: An error of the connection, after which the session tries again, or a rejection, which ends the session.
  public func refreshAuthentication(with user: Account) async throws -> Account {
    try await ask("renew", token: user.token)
  }

  /// Trusts a restored token that has not expired, so that a tool that runs once starts without the server.
  ///
  /// - Parameters:
  ///   - user: The restored user.
  ///   - isStartup: A Boolean value that indicates whether the process has just begun.
  /// - Returns: `false` at the start, and `true` when the token is about to expire.
  public func shouldRefreshAuthentication(with user: Account, isStartup: Bool) -> Bool { !isStartup }

  /// Tells the server that a user has logged out.
  ///
  /// - Parameter user: The user.
  /// - Throws: An error of the connection. The user is logged out all the same.
  public func deauthenticate(_ user: Account) async throws { _ = try await send("logout", token: user.token) }

  private func ask(_ path: String, token: String? = nil, body: String = "") async throws -> Account {
    Account(try JSONDecoder().decode(TokenGrant.self, from: try await send(path, token: token, body: body)))
  }

  private func send(_ path: String, token: String? = nil, body: String = "") async throws -> Data {
    var request = URLRequest(url: server.appending(path: path))
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    if let token { request.setValue(token, forHTTPHeaderField: "Authorization") }
    let (data, response) = try await session.data(for: request)
    switch (response as? HTTPURLResponse)?.statusCode {
    case 200: return data
    // Only these two mean that the session is over. Any other failure is temporary, and must not log a user out.
    case let status? where [400, 401].contains(status):
      throw AuthRejection(reason: String(decoding: data, as: UTF8.self), status: status)
    default: throw URLError(.badServerResponse)
    }
  }
}
