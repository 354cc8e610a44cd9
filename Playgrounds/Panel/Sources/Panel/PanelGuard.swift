import FlyingFox

/// The checks that a request must pass before anything is done for it.
struct PanelGuard: Sendable {
  let port: UInt16
  let token: String

  /// Returns the refusal of a request, or `nil` if it may proceed.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isPage: A Boolean value that indicates whether the request is for a file of the page, which needs no token.
  /// - Returns: The refusal.
  func refusal(of request: HTTPRequest, isPage: Bool) -> PanelFailure? {
    let origins = ["http://127.0.0.1:\(port)", "http://localhost:\(port)"]
    let hosts = request.headers.values(for: .host)
    // A page of a foreign site whose name leads to this machine sends its own name as the host.
    guard hosts.count == 1, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(hosts[0]) else {
      return .forbidden("the host is not 127.0.0.1:\(port)")
    }
    let sites = request.headers.values(for: HTTPHeader("Sec-Fetch-Site"))
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return .forbidden("another site sent the request")
    }
    let origin = request.headers.values(for: HTTPHeader("Origin"))
    guard origin.allSatisfy(origins.contains) else { return .forbidden("another origin sent the request") }
    if isPage { return nil }
    if request.method != .GET, origin.isEmpty { return .forbidden("a change needs the header Origin") }
    let given = request.headers[.authorization] ?? ""
    guard Self.isEqual(given, "Bearer \(token)") else {
      return PanelFailure(
        status: .unauthorized, code: "unauthorized", operation: "Open the panel",
        cause: given.isEmpty ? "the token is missing" : "the token is wrong",
        remedy: "Open the address that the panel printed when it started.")
    }
    return nil
  }

  /// Compares two texts in a time that does not depend on the place of the first difference.
  static func isEqual(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    guard first.count == second.count else { return false }
    return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
