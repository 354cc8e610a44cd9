public import Foundation
import Requests
public import Signals

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A stream of server-sent events over HTTP, for a ``RemoteTweakProvider``.
///
/// ```swift
/// import Foundation
/// import Tweaks
///
/// let fetcher = HTTPTweakFetcher(url: URL(filePath: "/flags.json"))
/// let stream = HTTPTweakStream(url: URL(filePath: "/flags/stream"))
/// let provider = RemoteTweakProvider(policy: .onRequest, stream: stream.connect, fetch: fetcher.fetch)
/// provider.isOffline = true
/// print(provider.status.value.state)  // Prints "notReady"
/// ```
///
/// - **Format.** Each event is a patch, as ``TweakPatch/init(_:)`` decodes it. Pass `decode` to read another format.
/// - **Resuming.** The identifier of the last event is sent as `Last-Event-ID`. The stream of a server that does not
///   resume should begin with a complete patch.
/// - **Redirections** are refused, because another host must not receive the key of the app.
/// - **Retry-After** of a refusal postpones the next connection, and requests, too.
/// - **Failures.** A status other than 200, another content type, an event that cannot be decoded, a cut connection and
///   a silent one end the stream. The provider then polls, and connects again after a pause. All of these except
///   interruptions are sent to ``RemoteTweakProvider/failures``.
public final class HTTPTweakStream: Sendable {
  private let url: URL
  private let session: RequestSession
  private let silenceLimit: TimeInterval
  private let eventLimit: Int
  private let decode: @Sendable (ServerSentEvent) throws -> TweakPatch?
  private let prepare: @Sendable (TweakRequest, inout URLRequest) -> Void

  /// Creates a stream with connections of its own.
  ///
  /// - Parameters:
  ///   - url: The address of the stream.
  ///   - configuration: The configuration of the connections, whose cache and cookies are not used.
  ///   - silenceLimit: The longest time without a byte, in seconds. A server should send a comment more often.
  ///   - eventLimit: The maximum number of bytes of an event. Comments do not count.
  ///   - decode: A closure that decodes an event, and returns `nil` to ignore it.
  ///   - prepare: A closure that completes a request, such as with the key of the app and the context.
  public init(
    url: URL, configuration: URLSessionConfiguration = .ephemeral, silenceLimit: TimeInterval = 300,
    eventLimit: Int = 1 << 20,
    decode: @escaping @Sendable (ServerSentEvent) throws -> TweakPatch? = { try TweakPatch($0) },
    prepare: @escaping @Sendable (TweakRequest, inout URLRequest) -> Void = { _, _ in }
  ) {
    self.url = url
    self.silenceLimit = silenceLimit
    self.eventLimit = eventLimit
    self.decode = decode
    self.prepare = prepare
    session = RequestSession(configuration: configuration)
  }

  /// Returns a signal that connects for each subscription, and sends a patch for each event.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes when the server closes the stream, or fails.
  public func connect(_ request: TweakRequest) -> AnySignal<TweakPatch, any Error> {
    .create { [self] sink in
      var message = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: silenceLimit)
      message.setValue("text/event-stream", forHTTPHeaderField: "Accept")
      if let id = request.lastEventID { message.setValue(id, forHTTPHeaderField: "Last-Event-ID") }
      prepare(request, &message)
      let parser = Guarded(ServerSentEventParser(limit: eventLimit, lastEventID: request.lastEventID))
      return session.response(to: message).sink { completion in
        switch completion {
        case .finished: sink.finish()
        case .failure(let error): sink.fail(TweakRequestFailure.unreachable(reason: "\(error)"))
        }
      } receiveValue: { [decode] part in
        do {
          switch part {
          case .head(let response): try Self.check(response)
          case .body(let data):
            for event in try parser.withLock({ try $0.parse(data) }) {
              if let patch = try decode(event) { sink.send(patch) }
            }
          }
        } catch {
          // This closes the connection.
          sink.fail(error as? TweakRequestFailure ?? .undecodable(reason: "\(error)"))
        }
      }
    }
  }

  /// Refuses a response that is not a stream of events.
  private static func check(_ response: HTTPURLResponse) throws(TweakRequestFailure) {
    guard response.statusCode == 200 else { throw .status(response.statusCode, retryAfter: response.retryAfter) }
    guard response.mimeType?.lowercased() == "text/event-stream" else {
      let type = response.mimeType ?? "of no type"
      throw .undecodable(reason: "the answer of the stream is \(type), not text/event-stream")
    }
  }
}
