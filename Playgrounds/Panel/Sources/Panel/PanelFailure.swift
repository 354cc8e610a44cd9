import FlyingFox
import Foundation
import Inspector

/// An error as the panel reports it.
struct PanelFailure: Error, Encodable {
  var status = HTTPStatusCode.badRequest
  var code: String
  var operation: String
  var path: String?
  var cause: String
  var remedy: String
  var version: String?
  var yours: InspectedValue?
  var theirs: InspectedValue?

  private enum CodingKeys: String, CodingKey {
    case code, operation, path, cause, remedy, message, version, yours, theirs
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(code, forKey: .code)
    try members.encode(operation, forKey: .operation)
    try members.encodeIfPresent(path, forKey: .path)
    try members.encode(cause, forKey: .cause)
    try members.encode(remedy, forKey: .remedy)
    let words = operation.prefix(1).lowercased() + operation.dropFirst()
    try members.encode("Can't \(words): \(cause). \(remedy)", forKey: .message)
    try members.encodeIfPresent(version, forKey: .version)
    try members.encodeIfPresent(yours, forKey: .yours)
    try members.encodeIfPresent(theirs, forKey: .theirs)
  }

  static func forbidden(_ cause: String) -> PanelFailure {
    PanelFailure(
      status: .forbidden, code: "forbidden", operation: "Open the panel", cause: cause,
      remedy: "Open the panel at the address that it printed.")
  }

  static func badRequest(_ operation: String, _ cause: String) -> PanelFailure {
    PanelFailure(code: "badRequest", operation: operation, cause: cause, remedy: "Correct the request.")
  }

  init(
    status: HTTPStatusCode = .badRequest, code: String, operation: String, cause: String, remedy: String
  ) {
    (self.status, self.code, self.operation, self.cause, self.remedy) = (status, code, operation, cause, remedy)
  }

  init(_ error: any Error, operation: String) {
    guard let error = error as? InspectorError else {
      self.init(
        status: .internalServerError, code: "failed", operation: operation, cause: "\(error)",
        remedy: "Solve the cause, and repeat the operation.")
      return
    }
    let status: HTTPStatusCode =
      switch error.code {
      case "notFound": .notFound
      case "readOnly": .forbidden
      case "conflict": .conflict
      case "unanswered": .gatewayTimeout
      case "failed": .internalServerError
      default: .badRequest
      }
    let remedy = error.code == "readOnly" ? "Start the panel with --write." : error.remedy
    self.init(status: status, code: error.code, operation: error.operation, cause: error.cause, remedy: remedy)
    path = error.path
    if case .conflict(_, _, let version, let theirs, let yours) = error {
      (self.version, self.theirs, self.yours) = (version, theirs, yours)
    }
  }

  /// The response that reports the error.
  var response: HTTPResponse {
    do {
      return .json(try PanelJSON.encode(["error": self]), status: status)
    } catch {
      return .json(Data("{}".utf8), status: .internalServerError)
    }
  }
}

extension HTTPResponse {
  /// The headers of every response.
  static let commonHeaders: HTTPHeaders = [
    HTTPHeader("Content-Security-Policy"):
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'",
    HTTPHeader("X-Content-Type-Options"): "nosniff",
    HTTPHeader("Referrer-Policy"): "no-referrer",
    HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
    HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
    .cacheControl: "no-store",
  ]

  static func make(_ type: String, _ body: Data, status: HTTPStatusCode = .ok) -> HTTPResponse {
    var headers = commonHeaders
    headers[.contentType] = type
    return HTTPResponse(statusCode: status, headers: headers, body: body)
  }

  static func json(_ body: Data, status: HTTPStatusCode = .ok) -> HTTPResponse {
    make("application/json; charset=utf-8", body, status: status)
  }
}
