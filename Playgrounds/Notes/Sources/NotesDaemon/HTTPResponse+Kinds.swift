import FlyingFox
import Foundation

/// The kinds of responses, all with headers that let the page load nothing but its own files.
extension HTTPResponse {
  static func page(_ name: String, _ type: String) throws -> HTTPResponse {
    let file = Bundle.module.bundleURL.appending(path: "Page").appending(path: name)
    return make(.ok, "\(type); charset=utf-8", HTTPBodySequence(data: try Data(contentsOf: file)))
  }

  static func events(_ stream: ScreenStream) -> HTTPResponse {
    make(.ok, "text/event-stream; charset=utf-8", HTTPBodySequence(from: stream))
  }

  static func json(_ value: [String: String?], _ status: HTTPStatusCode = .ok) -> HTTPResponse {
    do {
      return make(status, "application/json", HTTPBodySequence(data: try JSONEncoder().encode(value)))
    } catch {
      return make(.internalServerError, "application/json", HTTPBodySequence(data: Data("{}".utf8)))
    }
  }

  static func failure(_ status: HTTPStatusCode, _ message: String) -> HTTPResponse {
    json(["error": message], status)
  }

  private static func make(_ status: HTTPStatusCode, _ type: String, _ body: HTTPBodySequence) -> HTTPResponse {
    let headers: [HTTPHeader: String] = [
      .contentType: type,
      HTTPHeader("Cache-Control"): "no-store",
      HTTPHeader("Content-Security-Policy"):
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
      HTTPHeader("Referrer-Policy"): "no-referrer",
      HTTPHeader("X-Content-Type-Options"): "nosniff",
    ]
    return HTTPResponse(statusCode: status, headers: HTTPHeaders(headers), body: body)
  }
}
