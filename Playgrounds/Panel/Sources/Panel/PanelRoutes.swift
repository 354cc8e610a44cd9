import FlyingFox
import FlyingSocks
import Foundation
import Inspector

/// The answers of the panel to requests.
struct PanelRoutes: HTTPHandler {
  let inspector: Inspector
  let hub: EventHub
  let pages: PageFiles
  let token: String
  let port: @Sendable () -> UInt16

  /// The largest body of a request, in bytes.
  static let bodyLimit = 256 << 10

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    let isPage = !request.path.hasPrefix("/api/")
    if let failure = PanelGuard(port: port(), token: token).refusal(of: request, isPage: isPage) {
      return failure.response
    }
    do {
      return try await isPage ? page(request) : answer(request)
    } catch let failure as PanelFailure {
      return failure.response
    } catch {
      return PanelFailure(error, operation: "Answer \(request.path)").response
    }
  }

  private func page(_ request: HTTPRequest) throws -> HTTPResponse {
    guard request.method == .GET else { throw notFound(request) }
    let name = request.path == "/" ? "index.html" : String(request.path.dropFirst())
    guard let file = pages[name] else { throw notFound(request) }
    return .make(file.type, file.content)
  }

  private func notFound(_ request: HTTPRequest) -> PanelFailure {
    PanelFailure(
      status: .notFound, code: "notFound", operation: "Open \(request.path)", cause: "there is no such page",
      remedy: "Open the address that the panel printed.")
  }

  private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    switch (request.method, request.path) {
    case (.GET, "/api/snapshot"):
      return .json(try encoded(await hub.snapshot()))
    case (.GET, "/api/events"): return try await events(request)
    case (.GET, "/api/value"):
      let resource = try await inspector.resource(query("r", request))
      return .json(try encoded(try TextAnswer(of: resource, from: number("offset", request) ?? 0)))
    case (.GET, "/api/log"):
      let events = try await EventsAnswer(
        of: query("r", request), limit: number("limit", request) ?? 100, in: inspector)
      return .json(try encoded(events))
    case (.GET, "/api/rows"):
      let rows = try await inspector.rows(
        of: query("table", request), in: query("r", request), after: value("after", request),
        limit: number("limit", request) ?? 100)
      return .json(try encoded(rows))
    case (.POST, "/api/change"): return try await change(request)
    default: throw notFound(request)
    }
  }

  private func encoded(_ value: some Encodable) throws -> Data { try PanelJSON.encode(value) }

  // MARK: Events

  private func events(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let client = await hub.open(after: request.headers[HTTPHeader("Last-Event-ID")]) else {
      throw PanelFailure(
        status: .serviceUnavailable, code: "busy", operation: "Follow the changes",
        cause: "\(EventHub.clientLimit) streams are open", remedy: "Close another tab.")
    }
    var headers = HTTPResponse.commonHeaders
    headers[.contentType] = "text/event-stream; charset=utf-8"
    return HTTPResponse(
      statusCode: .ok, headers: headers, body: HTTPBodySequence(from: EventBody(hub: hub, client: client)))
  }

  // MARK: Changes

  private func change(_ request: HTTPRequest) async throws -> HTTPResponse {
    let type = request.headers[.contentType]?.split(separator: ";").first.map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard type?.lowercased() == "application/json" else {
      throw PanelFailure(
        status: .unsupportedMediaType, code: "unsupported", operation: "Change",
        cause: "the content type is not application/json", remedy: "Send JSON.")
    }
    let body = try await body(of: request)
    let change: InspectorRequest
    do {
      change = try JSONDecoder().decode(InspectorRequest.self, from: body)
    } catch {
      throw PanelFailure.badRequest("Change", "the body is not a request: \(error)")
    }
    return .json(try encoded(try await inspector.perform(change)))
  }

  /// Reads a body, and stops at the limit, because a chunked body announces no length.
  private func body(of request: HTTPRequest) async throws -> Data {
    let failure = PanelFailure(
      status: .payloadTooLarge, code: "tooLarge", operation: "Change",
      cause: "the body has more than \(Self.bodyLimit) bytes", remedy: "Send a smaller value.")
    if let count = request.bodySequence.count, count > Self.bodyLimit { throw failure }
    var body = Data()
    for try await part in request.bodySequence {
      body.append(part)
      if body.count > Self.bodyLimit { throw failure }
    }
    return body
  }

  // MARK: Queries

  private func value(_ name: String, _ request: HTTPRequest) -> String? {
    request.query.first { $0.name == name }?.value
  }

  private func query(_ name: String, _ request: HTTPRequest) throws -> String {
    guard let value = value(name, request) else {
      throw PanelFailure.badRequest("Read \(request.path)", "the query has no \(name)")
    }
    return value
  }

  private func number(_ name: String, _ request: HTTPRequest) -> Int? { value(name, request).flatMap(Int.init) }
}
