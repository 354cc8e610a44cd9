public import Foundation

/// A closure that asks a server for all tweaks of a context.
///
/// If the server gives no tweaks, throw ``TweakRequestFailure/status(_:retryAfter:)``. Any other error means that the
/// server could not be reached, unless it is a ``TweakRequestFailure``. The provider calls the closure for one request
/// at a time, and again only after a pause.
public typealias TweakFetch = @Sendable (TweakRequest) async throws -> TweakAnswer

/// A request of a ``RemoteTweakProvider`` to its server, for all tweaks or for a stream of changes.
public struct TweakRequest: Sendable, Hashable {
  /// The context of the user whose tweaks are requested.
  public var context: TweakContext

  /// The `ETag` of the last answer, to be sent as `If-None-Match`.
  ///
  /// It is `nil` if there is no usable answer, if the answer was for another context, or after a ``TweakPatch``.
  public var etag: String?

  /// The identifier of the last received event of a stream, to be sent as `Last-Event-ID`.
  public var lastEventID: String?

  /// The largest number of bytes in an answer that the provider accepts.
  ///
  /// A client that receives an answer in parts can refuse it before it is complete.
  public var maximumBodySize: Int

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - context: The context of the user.
  ///   - etag: The `ETag` of the last answer.
  ///   - lastEventID: The identifier of the last received event of a stream.
  ///   - maximumBodySize: The largest number of bytes in an answer.
  public init(
    context: TweakContext = TweakContext(), etag: String? = nil, lastEventID: String? = nil,
    maximumBodySize: Int = 1 << 20
  ) {
    self.context = context
    self.etag = etag
    self.lastEventID = lastEventID
    self.maximumBodySize = maximumBodySize
  }
}

/// The answer of a server to a ``TweakRequest``.
@nonexhaustive
public enum TweakAnswer: Sendable, Hashable {
  /// The tweaks are the same as those with the `ETag` of the request: status 304.
  case notModified

  /// All tweaks, as the bytes that the provider decodes and stores.
  ///
  /// The version is the one of the first ``TweakPatch`` that follows, minus one. An answer that is older than the values
  /// in effect changes nothing.
  case body(Data, etag: String? = nil, version: Int? = nil)

  /// All tweaks, already decoded.
  case tweaks([Tweak], etag: String? = nil, version: Int? = nil)
}

/// The reason why a request of a ``RemoteTweakProvider`` gave no tweaks.
@nonexhaustive
public enum TweakRequestFailure: Error, Sendable, Hashable {
  /// The closure that asks the server threw an error.
  case unreachable(reason: String)

  /// There was no answer in the time that the policy allows.
  case timedOut(after: Duration)

  /// The server answered with a status that is not a success, or with 304 to a request without an `ETag`.
  ///
  /// The status is the one of HTTP. With 401 and 403, the provider stops polling. Before the time in `Retry-After` has
  /// passed, no request is sent and no stream is connected.
  case status(Int, retryAfter: Duration? = nil)

  /// The body has more bytes than the policy allows, so it was not decoded.
  case tooLarge(size: Int, limit: Int)

  /// The body is not a list of tweaks.
  case undecodable(reason: String)

  /// The provider is offline, so nothing was sent.
  case offline

  /// The server asked not to be called before a date, so nothing was sent.
  case postponed(until: Date)

  /// Another user was identified before the answer came.
  case superseded

  /// A Boolean value that indicates whether another attempt cannot succeed: status 401 or 403.
  var isFatal: Bool {
    switch self {
    case .status(401, _), .status(403, _): true
    default: false
    }
  }
}

extension TweakRequestFailure: CustomStringConvertible, LocalizedError {
  /// A description of the cause and the remedy.
  public var description: String {
    switch self {
    case .unreachable(let reason): "the server could not be reached: \(reason)"
    case .timedOut(let limit): "there was no answer within \(limit)"
    case .status(401, _): "the server refused the credentials (status 401). Correct the key of the app"
    case .status(403, _): "the server refused access (status 403). Correct the key of the app"
    case .status(304, _): "the server answered \"not modified\" to a request without an ETag"
    case .status(let status, _) where (300..<400).contains(status):
      "the server redirected the request (status \(status)). Redirections are not followed, because another host must "
        + "not receive the key of the app. Correct the URL"
    case .status(let status, _): "the server answered with status \(status)"
    case .tooLarge(let size, let limit): "the answer has \(size) bytes, and the limit is \(limit)"
    case .undecodable(let reason): "the answer cannot be decoded: \(reason)"
    case .offline: "the provider is offline"
    case .postponed(let date): "the server asked to wait until \(date.formatted(.iso8601))"
    case .superseded: "another user was identified before the answer came"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
