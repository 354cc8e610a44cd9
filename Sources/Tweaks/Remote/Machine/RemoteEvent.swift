import Foundation
import Signals

/// The moment of an event, on the wall clock and on the monotonic clock.
struct RemoteMoment: Sendable, Hashable {
  var date: Date
  var elapsed: Duration
}

/// A user for whom tweaks are requested.
struct RemoteUser: Sendable, Hashable {
  var context: TweakContext

  /// The name of the user's cache entry, which does not reveal the user.
  var entry = ""

  /// A digest of the whole context, by which a change of any attribute is recognized.
  var fingerprint = ""
}

/// All tweaks of one answer, with later patches applied.
struct RemoteContent: Sendable, Hashable {
  var tweaks: [Tweak]

  /// The undecoded answer; `nil` if there is none, or after a patch.
  var body: Data?
  var etag: String?
  var version: Int?

  /// The date when the server last gave or confirmed the tweaks.
  var fetched = Date.distantPast

  /// The fingerprint of the context for which they were requested.
  var fingerprint = ""

  /// The time within which a server that lags behind may still answer with an older version.
  ///
  /// An older version that comes later means that the server has begun to count anew.
  static let longestLag = Duration.seconds(600)

  /// Returns a Boolean value that indicates whether these values must not be replaced by others that were fetched for
  /// the same user.
  ///
  /// Versions decide. Without them, the later fetch does.
  func outranks(_ other: RemoteContent) -> Bool {
    guard fingerprint == other.fingerprint else { return false }
    let delay = other.fetched.timeIntervalSince(fetched)
    guard let version, let otherVersion = other.version else { return delay < 0 }
    return version > otherVersion && delay <= Self.longestLag.inSeconds
  }
}

/// An event that a ``RemoteMachine`` handles.
enum RemoteEvent: Sendable {
  /// A number that identifies a call that waits for an answer.
  typealias Call = Int

  /// The provider starts, with the cached values and the date before which the server wants no request.
  case started(RemoteContent?, notBefore: Date?)

  /// The alarm rings.
  case wake

  /// A caller wants new values.
  case refresh(Call)

  /// A caller waits for the first values, so that a random delay must end.
  case hasten

  /// The request for a turn to ask the server was answered, with the values and the date that the cache has now.
  case claimed(isGranted: Bool, RemoteContent?, notBefore: Date?)

  /// Another process has stored values for a user.
  case followed(RemoteContent, entry: String)

  /// The server has answered.
  case answered(flight: Int, Result<RemoteAnswer, TweakRequestFailure>, retryAfter: Duration?)

  /// Another user uses the app, with the cached values of that user.
  case identify(RemoteUser, RemoteContent?, Call)

  /// The provider goes offline or online.
  case offline(Bool)

  /// Values that wait for the next launch shall take effect.
  case activate

  /// The stream sends a patch, completes or fails.
  case patched(TweakPatch, stream: Int)
  case streamEnded(stream: Int, retryAfter: Duration? = nil)
}

/// A usable answer of the server.
enum RemoteAnswer: Sendable, Hashable {
  case notModified
  case content(RemoteContent)
}

/// An effect that a ``RemoteMachine`` requests.
enum RemoteEffect: Sendable, Hashable {
  /// Asks the server.
  case send(TweakRequest, flight: Int)

  /// Asks for the turn among the processes that share the cache, or ends it after all that was to be stored.
  case claim(entry: String)
  case endClaim

  /// Follows the values that other processes store for a user.
  case follow(entry: String)

  /// Cancels a request that takes too long, or that a newer one replaces.
  case cancel(flight: Int)

  /// Replaces the values, with `nil` by those that the provider was created with.
  case show([Tweak]?)

  /// Writes values to the cache.
  case store(RemoteContent, entry: String)

  /// Records the date before which the server wants no request.
  case postpone(until: Date)

  /// Sets the alarm, or with `nil` removes it.
  case wake(at: Duration?)

  /// Answers a call.
  case answer(RemoteEvent.Call, TweakRequestFailure?)

  /// Reports a failure.
  case report(TweakRequestFailure)

  /// Forgets the failures of earlier requests.
  case recovered

  /// Connects to the stream.
  case connect(TweakRequest, stream: Int)

  /// Disconnects from the stream.
  case disconnect
}
