public import Foundation
import Requests

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A fetcher that asks a server with HTTP, for a ``RemoteTweakProvider``.
///
/// ```swift
/// import Foundation
/// import Tweaks
///
/// let fetcher = HTTPTweakFetcher(url: URL(filePath: "/flags.json"))
/// let provider = RemoteTweakProvider(policy: .onRequest, fetch: fetcher.fetch)
/// print(provider.status.value.state)  // Prints "notReady"
/// ```
///
/// It sends the `ETag` of the last answer as `If-None-Match`, and understands 304 and `Retry-After`. The context is not
/// sent unless `prepare` adds it to the request. Redirections are refused, because another host must not receive the
/// key of the app. Cookies are not kept.
public struct HTTPTweakFetcher: Sendable {
  private let url: URL
  private let session: RequestSession
  private let timeout: TimeInterval
  private let versionField: String?
  private let prepare: @Sendable (TweakRequest, inout URLRequest) -> Void

  /// Creates a fetcher.
  ///
  /// - Parameters:
  ///   - url: The address of the tweaks.
  ///   - configuration: The configuration of the connections, whose cache and cookies are not used.
  ///   - timeout: The longest time without progress, in seconds.
  ///   - versionField: The field of a response that has the version of the tweaks, for a server that also sends patches.
  ///   - prepare: A closure that completes a request, such as with the key of the app and the context.
  public init(
    url: URL, configuration: URLSessionConfiguration = .ephemeral, timeout: TimeInterval = 30,
    versionField: String? = nil,
    prepare: @escaping @Sendable (TweakRequest, inout URLRequest) -> Void = { _, _ in }
  ) {
    self.url = url
    session = RequestSession(configuration: configuration)
    self.timeout = timeout
    self.versionField = versionField
    self.prepare = prepare
  }

  /// Asks the server.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer.
  /// - Throws: `URLError` if there was no complete answer, or a ``TweakRequestFailure``.
  public func fetch(_ request: TweakRequest) async throws -> TweakAnswer {
    // The session must not answer from a cache of its own, because it would turn a 304 into a 200.
    var message = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: timeout)
    if let etag = request.etag { message.setValue(etag, forHTTPHeaderField: "If-None-Match") }
    prepare(request, &message)
    let head: HTTPURLResponse?, body: Data
    do {
      (head, body) = try await session.answer(to: message, limit: request.maximumBodySize)
    } catch let error as BodyTooLarge {
      throw TweakRequestFailure.tooLarge(size: error.size, limit: error.limit)
    }
    guard let response = head else { return .body(body) }
    switch response.statusCode {
    case 200..<300:
      let version = versionField.flatMap { response.value(forHTTPHeaderField: $0) }.flatMap { Int($0) }
      return .body(body, etag: response.value(forHTTPHeaderField: "ETag"), version: version)
    case 304: return .notModified
    default:
      throw TweakRequestFailure.status(response.statusCode, retryAfter: response.retryAfter)
    }
  }
}
