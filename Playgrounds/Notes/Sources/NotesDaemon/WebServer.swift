import FlyingFox
import FlyingSocks
import Foundation
import NotesKit
import SignalsKit

/// The page, a stream of what it shows, and the actions of its viewers.
final class WebServer: Sendable {
  private let server: HTTPServer
  private let failures: SignalSubscription

  /// Creates a server at rest.
  init(_ app: NotesApp, port: UInt16) throws {
    let drafts = DraftKeeper(app)
    failures = drafts.failures.sink { NotesDaemon.report("The draft was not saved", $0) }
    // Only this machine can connect.
    server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled,
      handler: WebRoutes(app: app, drafts: drafts, screen: app.screen(), guardian: RequestGuard(port: port)))
  }

  func run() async throws { try await server.run() }

  func waitUntilListening() async throws { try await server.waitUntilListening() }
}

/// The answers to requests.
struct WebRoutes: HTTPHandler {
  let app: NotesApp
  let drafts: DraftKeeper<ContinuousClock>
  /// One property for all viewers, so that each query is read once however many pages are open.
  let screen: Property<Screen>
  let guardian: RequestGuard

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    if let refusal = guardian.refusal(of: request) { return .failure(.forbidden, refusal) }
    switch (request.method, request.path) {
    case (.GET, "/"): return try .page("index.html", "text/html")
    case (.GET, "/notes.css"): return try .page("notes.css", "text/css")
    case (.GET, "/notes.js"): return try .page("notes.js", "text/javascript")
    case (.GET, "/events"): return .events(ScreenStream(screen.frames().eraseToAnySignal()))
    case (.POST, "/actions"): return await perform(request)
    default: return .failure(.notFound, "There is no \(request.path).")
    }
  }

  private func perform(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      let action = try JSONDecoder().decode(Action.self, from: try await guardian.body(of: request))
      let note = try await app.perform(action, drafts: drafts)
      // Whatever follows, even a kill, the change is on disk now.
      return .json(["note": note?.uuidString])
    } catch let error as NotesError {
      if case .otherEnvironment = error { return .failure(.conflict, error.localizedDescription) }
      return .failure(.unprocessableContent, error.localizedDescription)
    } catch DatabaseError.switched, DatabaseError.closed {
      return .failure(.conflict, "Nothing was changed: the environment or the user has just been switched.")
    } catch let error as RequestGuard.TooLarge {
      return .failure(.payloadTooLarge, error.localizedDescription)
    } catch is DecodingError {
      return .failure(.badRequest, "The body is not an action.")
    } catch {
      return .failure(.internalServerError, error.localizedDescription)
    }
  }
}
