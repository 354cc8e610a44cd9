import FlyingFox
import FlyingSocks
public import Foundation
import TokenClient

/// A server on this machine that hands out tokens which last for a moment, and may be exchanged once.
///
/// - `POST /login`, with the name of the user as its body: a user and a token
/// - `POST /renew`, with the token in the field `Authorization`: the next token. A token that was exchanged already is
///   refused, and its session ends, because two clients have it. A server with a leeway accepts it for that long.
/// - `POST /logout`
public actor TokenServer {
  /// What goes wrong with the next request.
  public enum Fault: String, Sendable, CaseIterable {
    /// The answer takes a second.
    case slow
    /// The server has a fault of its own.
    case internalError
    /// The token is refused, though it is right.
    case invalidGrant
    /// The connection ends in the middle of the answer, so the token is used up all the same.
    case cut
  }

  private let lifetime: Double
  private let server: HTTPServer
  private var running: Task<Void, any Error>?
  private var ledger: TokenLedger
  private var faults: [Fault] = []

  /// How often a token was sent to `/renew` that had been exchanged already.
  public var reuses: Int { ledger.reuses }

  /// How often each path was asked for.
  public private(set) var requests: [String: Int] = [:]

  /// Makes a server at rest.
  ///
  /// - Parameters:
  ///   - lifetime: How many seconds a token lasts.
  ///   - port: The port to listen on, or 0 for any free one.
  ///   - leeway: The number of seconds for which a token that was exchanged is accepted again, for clients that lose an
  ///     answer. Without it, a client that is killed in the middle of a renewal must log in again.
  ///   - file: A file that keeps the sessions for the next server; by default, they end with this one.
  /// - Throws: An error of the socket, or the reason why the file cannot be read.
  public init(lifetime: Double, port: UInt16 = 0, leeway: Double = 0, file: URL? = nil) throws {
    self.lifetime = lifetime
    ledger = try TokenLedger(file: file, leeway: leeway)
    server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
  }

  /// Starts it.
  ///
  /// - Returns: Where it is.
  /// - Throws: An error of the socket.
  public func start() async throws -> URL {
    for path in ["/login", "/renew", "/logout"] {
      await server.appendRoute(HTTPRoute("POST \(path)")) { [weak self] request in
        guard let self else { return HTTPResponse(statusCode: .internalServerError) }
        let body = String(decoding: try await request.bodyData, as: UTF8.self)
        return await answer(path, body: body, authorization: request.headers[.authorization])
      }
    }
    running = Task { [server] in try await server.run() }
    try await server.waitUntilListening()
    switch await server.listeningAddress {
    case .ip4(let host, let port)?:
      guard let url = URL(string: "http://\(host):\(port)") else { throw URLError(.badURL) }
      return url
    default: throw URLError(.cannotConnectToHost)
    }
  }

  /// Ends it.
  public func stop() async {
    await server.stop()
    running?.cancel()
  }

  /// Lets something go wrong with the next requests, one fault for each.
  public func arrange(_ faults: Fault...) {
    self.faults += faults
  }

  private func answer(_ path: String, body: String, authorization: String?) async -> HTTPResponse {
    requests[path, default: 0] += 1
    let fault = faults.isEmpty ? nil : faults.removeFirst()
    switch fault {
    case .slow: _ = await Task { try await Task.sleep(for: .seconds(1)) }.result
    case .internalError: return HTTPResponse(statusCode: .internalServerError)
    case .invalidGrant: return refusal
    case .cut, nil: break
    }
    do {
      switch path {
      case "/logout":
        try ledger.end(authorization)
        return HTTPResponse(statusCode: .ok)
      case "/login": return try grant(ledger.begin(body.isEmpty ? "ada" : body), isCut: fault == .cut)
      default:
        guard let next = try ledger.exchange(authorization) else { return refusal }
        return try grant(next, isCut: fault == .cut)
      }
    } catch {
      return HTTPResponse(statusCode: .internalServerError)
    }
  }

  private var refusal: HTTPResponse {
    HTTPResponse(statusCode: .badRequest, body: Data(#"{"error":"invalid_grant"}"#.utf8))
  }

  private func grant(_ session: (user: String, token: String), isCut: Bool) throws -> HTTPResponse {
    let body = try JSONEncoder().encode(TokenGrant(user: session.user, token: session.token, lifetime: lifetime))
    guard isCut else { return HTTPResponse(statusCode: .ok, body: body) }
    return HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: HalfBody(whole: body), count: body.count))
  }
}
