public import Foundation
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
/// print(provider.state.value)  // Prints "notReady"
/// ```
///
/// - **Format.** Each event is a patch, as ``TweakPatch/init(_:)`` decodes it. Pass `decode` to read another format.
/// - **Resuming.** The identifier of the last event is sent as `Last-Event-ID`.
/// - **Redirections** are refused, because another host must not receive the key of the app.
/// - **Failures.** A status other than 200, another content type, an event that cannot be decoded, a cut connection and
///   a silent one end the stream. The provider then polls, and connects again after a pause. All of these except
///   interruptions are sent to ``RemoteTweakProvider/failures``.
public final class HTTPTweakStream: Sendable {
  private let url: URL
  private let session: URLSession
  private let connections = StreamConnections()
  private let silenceLimit: TimeInterval
  private let eventLimit: Int
  private let decode: @Sendable (ServerSentEvent) throws -> TweakPatch?
  private let prepare: @Sendable (TweakStreamRequest, inout URLRequest) -> Void

  /// Creates a stream with connections of its own.
  ///
  /// - Parameters:
  ///   - url: The address of the stream.
  ///   - configuration: The configuration of the connections.
  ///   - silenceLimit: The longest time without a byte, in seconds. A server should send a comment more often.
  ///   - eventLimit: The maximum number of bytes of an event.
  ///   - decode: A closure that decodes an event, and returns `nil` to ignore it.
  ///   - prepare: A closure that completes a request, such as with the key of the app and the context.
  public init(
    url: URL, configuration: URLSessionConfiguration = .ephemeral, silenceLimit: TimeInterval = 300,
    eventLimit: Int = 1 << 20,
    decode: @escaping @Sendable (ServerSentEvent) throws -> TweakPatch? = { try TweakPatch($0) },
    prepare: @escaping @Sendable (TweakStreamRequest, inout URLRequest) -> Void = { _, _ in }
  ) {
    self.url = url
    self.silenceLimit = silenceLimit
    self.eventLimit = eventLimit
    self.decode = decode
    self.prepare = prepare
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: connections, delegateQueue: queue)
  }

  deinit {
    session.invalidateAndCancel()
  }

  /// Returns a signal that connects for each subscription, and sends a patch for each event.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes when the server closes the stream, or fails.
  public func connect(_ request: TweakStreamRequest) -> AnySignal<TweakPatch, any Error> {
    .create { [self] sink in
      var message = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: silenceLimit)
      message.setValue("text/event-stream", forHTTPHeaderField: "Accept")
      if let id = request.lastEventID { message.setValue(id, forHTTPHeaderField: "Last-Event-ID") }
      prepare(request, &message)
      let task = session.dataTask(with: message)
      let parser = ServerSentEventParser(limit: eventLimit, lastEventID: request.lastEventID)
      connections.add(StreamConnections.Connection(sink: sink, parser: parser, decode: decode), for: task)
      task.resume()
      // The subscription keeps the session.
      return SignalSubscription { [self] in
        withExtendedLifetime(self) { task.cancel() }
      }
    }
  }
}
