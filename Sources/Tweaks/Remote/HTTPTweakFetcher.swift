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
/// print(provider.state.value)  // Prints "notReady"
/// ```
///
/// It sends the `ETag` of the last answer as `If-None-Match`, and understands 304 and `Retry-After`. The context is not
/// sent unless `prepare` adds it to the request.
public struct HTTPTweakFetcher: Sendable {
  private let url: URL
  private let session: URLSession
  private let timeout: TimeInterval
  private let versionField: String?
  private let prepare: @Sendable (TweakRequest, inout URLRequest) -> Void

  /// Creates a fetcher.
  ///
  /// - Parameters:
  ///   - url: The address of the tweaks.
  ///   - session: The session of the requests, or `nil` for a new one. On Linux, a cancelled request of a session with a
  ///     cache keeps its connection until the server has answered, or until the timeout.
  ///   - timeout: The longest time without progress, in seconds.
  ///   - versionField: The field of a response that has the version of the tweaks, for a server that also sends patches.
  ///   - prepare: A closure that completes a request, such as with the key of the app and the context.
  public init(
    url: URL, session: URLSession? = nil, timeout: TimeInterval = 30, versionField: String? = nil,
    prepare: @escaping @Sendable (TweakRequest, inout URLRequest) -> Void = { _, _ in }
  ) {
    self.url = url
    self.session = session ?? URLSession(configuration: .ephemeral.withoutCache)
    self.timeout = timeout
    self.versionField = versionField
    self.prepare = prepare
  }

  /// Asks the server.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer.
  /// - Throws: `URLError` if there was no complete answer.
  public func fetch(_ request: TweakRequest) async throws -> TweakAnswer {
    // The session must not answer from a cache of its own, because it would turn a 304 into a 200.
    var message = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: timeout)
    if let etag = request.etag { message.setValue(etag, forHTTPHeaderField: "If-None-Match") }
    prepare(request, &message)
    let (body, response) = try await session.answer(to: message)
    guard let response = response as? HTTPURLResponse else { return .body(body) }
    switch response.statusCode {
    case 200..<300:
      let version = versionField.flatMap { response.value(forHTTPHeaderField: $0) }.flatMap { Int($0) }
      return .body(body, etag: response.value(forHTTPHeaderField: "ETag"), version: version)
    case 304: return .notModified
    default:
      let pause = response.value(forHTTPHeaderField: "Retry-After").flatMap { Self.pause($0, from: Date()) }
      return .failure(status: response.statusCode, retryAfter: pause)
    }
  }

  /// Returns the pause that `Retry-After` asks for, as seconds or as a date.
  static func pause(_ text: String, from now: Date) -> Duration? {
    if let seconds = Int(text), seconds >= 0 { return .seconds(seconds) }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text).map { .seconds(max(0, $0.timeIntervalSince(now))) }
  }
}
