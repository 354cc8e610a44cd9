public import Foundation
public import Signals

/// A provider of tweaks from a server, which keeps the last answer for the next launch and asks again regularly.
///
/// ```swift
/// import Foundation
/// import Tweaks
///
/// let provider = RemoteTweakProvider(policy: .onRequest) { request in
///   .body(Data(#"{ "shop": { "limit": { "Value": 20 } } }"#.utf8), etag: "1")
/// }
/// let manager = TweakManager(providers: [provider])
/// try await provider.refresh()
/// print(manager.value(feature: "shop", variable: "limit", default: 10))  // Prints "20"
/// ```
///
/// - **Order.** Values come from the server, or else from the cache, or else from `bootstrap`. Without any of them, the
///   next provider decides.
/// - **Start.** Creating the provider waits for one file, and never for the network. ``ready(within:)`` waits for the
///   first answer.
/// - **Changes.** An answer replaces all values at once, so no observer sees a part of it.
/// - **Failures.** The last good values stay. ``status`` and ``failures`` report the reason, and the provider tries
///   again after a pause.
/// - **Threads.** All methods may be called from any thread. The closures of the initializer are called with no lock
///   held.
///
/// For a service with its own interface, implement ``AskedTweakProvider`` and send ``TweakUpdate/everything`` whenever
/// the service has activated new values.
public final class RemoteTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  /// The policy.
  let policy: RemoteTweakPolicy

  let engine: RemoteEngine

  /// Creates a provider, shows the cached values, and schedules the first request.
  ///
  /// - Parameters:
  ///   - name: The name of the provider.
  ///   - bootstrap: The tweaks until the server has answered once. Of several with the same name, the last one counts.
  ///   - context: The context of the user, which requests contain.
  ///   - isOffline: A Boolean value that indicates whether the provider sends no requests until ``isOffline`` is set to
  ///     `false`. Setting the property later does not prevent a first request.
  ///   - cache: The place where answers are kept for the next launch; `nil` to keep none.
  ///   - policy: The policy for requests and answers.
  ///   - time: The clocks.
  ///   - decode: A closure that decodes the body of an answer; by default, ``FileTweakProvider`` describes the format.
  ///   - stream: A closure that connects to a stream of changes, such as server-sent events; `nil` if there is none.
  ///     While it is connected, the provider does not poll. When the signal completes or fails, the provider connects
  ///     again after a pause. It cancels the subscription when it goes offline or identifies another user.
  ///   - fetch: A closure that asks the server.
  public convenience init(
    name: String = "RemoteTweakProvider",
    bootstrap: [Tweak] = [],
    context: TweakContext = TweakContext(),
    isOffline: Bool = false,
    cache: TweakCache? = nil,
    policy: RemoteTweakPolicy = RemoteTweakPolicy(),
    time: TweakTime = .system,
    decode: (@Sendable (Data) throws -> [Tweak])? = nil,
    stream: (@Sendable (TweakRequest) -> AnySignal<TweakPatch, any Error>)? = nil,
    fetch: @escaping TweakFetch
  ) {
    let decode = decode ?? { try TweakFileReader(source: name).read($0).tweaks.tweaks }
    let parts = RemoteEngine.Parts(fetch: fetch, stream: stream, decode: decode, time: time)
    self.init(
      name: name, bootstrap: bootstrap, context: context, isOffline: isOffline, cache: cache, policy: policy,
      parts: parts)
  }

  init(
    name: String, bootstrap: [Tweak], context: TweakContext, isOffline: Bool = false, cache: TweakCache?,
    policy: RemoteTweakPolicy, parts: RemoteEngine.Parts
  ) {
    self.name = name
    self.policy = policy
    engine = RemoteEngine(
      name: name, bootstrap: bootstrap, context: context, cache: cache, policy: policy, parts: parts)
    engine.start(isOffline: isOffline)
  }

  deinit {
    engine.stop()
  }

  // MARK: State

  /// The state, with the origin and the age of the values.
  ///
  /// When it changes, ``table`` already has the values of the new state. A manager's observers are notified afterwards.
  public var status: Property<RemoteTweakStatus> { engine.status }

  /// The context of the user.
  public var context: Property<TweakContext> { engine.context }

  /// Waits until the server has answered, but not longer than a limit, and returns the origin of the values.
  ///
  /// It ends a random delay of the first request. After the limit, the request goes on, and its answer takes effect
  /// later. The wait also ends when the server refuses the request, when the provider is offline, or when the task is
  /// cancelled.
  ///
  /// - Parameter limit: The longest time to wait.
  /// - Returns: The origin of the values in effect.
  @discardableResult
  public func ready(within limit: Duration) async -> RemoteTweakOrigin {
    engine.submit(.hasten)
    return await engine.settled(within: limit)
  }

  // MARK: Requests

  /// Asks the server for all tweaks.
  ///
  /// If a request is in progress, no other one is sent, and the call waits for that answer. With a cache, the answer is
  /// stored before the call returns.
  ///
  /// - Throws: ``TweakError/requestFailed(provider:_:)``; then the tweaks are unchanged.
  public func refresh() async throws(TweakError) {
    try await engine.call { .refresh($0) }
  }

  /// Switches to the values of another user, or of changed attributes.
  ///
  /// The cached values of the user take effect before the call waits, or else the values of `bootstrap`.
  /// The answer of the server then takes effect at once, whatever the policy. The late answer to a request for the
  /// earlier user changes only that user's cache.
  ///
  /// - Parameter context: The context of the user. One without a targeting key means an anonymous user.
  /// - Throws: ``TweakError/requestFailed(provider:_:)`` if the server gave no values. The user is changed in any case.
  ///   The reason is ``TweakRequestFailure/superseded`` if another user was identified in the meantime.
  public func identify(_ context: TweakContext) async throws(TweakError) {
    let (user, content) = engine.load(context)
    try await engine.call { .identify(user, content, $0) }
  }

  /// Makes the values effective that wait for the next launch.
  public func activate() {
    engine.submit(.activate)
  }

  /// A Boolean value that indicates whether the provider sends no requests.
  ///
  /// Set it while the device has no network or the app is in the background. The pauses between attempts do not grow
  /// in this time. To start without requests, for example until the user consents, pass it to the initializer.
  public var isOffline: Bool {
    get { engine.isOffline }
    set { engine.submit(.offline(newValue)) }
  }

  // MARK: Tweaks

  /// The tweaks.
  ///
  /// If a tweak is from the cache and its ``Tweak/reason`` is `nil`, the reason says so. Looking up a tweak whose reason
  /// is ``TweakReason/disabled`` throws ``TweakError/disabled(_:provider:)``.
  public var table: Property<TweakTable> { engine.table }

  /// The failures of requests and of the cache.
  ///
  /// A failure of a request is reported once, until a request succeeds, and one of the cache until the same operation
  /// succeeds. A new subscriber first receives the current failures, at most the last 1,000 of each kind.
  public var failures: AnySignal<TweakError, Never> { engine.failures }
}

/// The state of a ``RemoteTweakProvider``.
///
/// In every state, the last good values stay in effect.
@nonexhaustive
public enum RemoteTweakState: Sendable, Hashable {
  /// No answer has come, and no answer is cached.
  case notReady

  /// The values are from the last answer, from the server or from the cache of an earlier launch.
  case ready

  /// The values are from the cache, and may be outdated: they are too old, of unknown age, or for other attributes.
  case stale

  /// The last request failed; the provider tries again.
  case error(TweakRequestFailure)

  /// The server refused the request, and the provider tries no more: status 401 or 403.
  case fatal(TweakRequestFailure)
}

/// The origin of the values of a ``RemoteTweakProvider``.
@nonexhaustive
public enum RemoteTweakOrigin: Sendable, Hashable {
  /// There are no values, so that the next provider or the default decides.
  case none

  /// The values that the provider was created with.
  case bootstrap

  /// An answer from an earlier launch, which the server has not confirmed in this one.
  case cache

  /// An answer that the server gave or confirmed in this launch, or newer values than the server gave.
  ///
  /// The server may have given it to another process, if its ``TweakCache`` shares fetches.
  case network
}

/// The state of a ``RemoteTweakProvider`` with the origin and the age of its values.
public struct RemoteTweakStatus: Sendable, Hashable {
  /// The state.
  public var state: RemoteTweakState

  /// The origin of the values.
  public var origin: RemoteTweakOrigin

  /// The date when the server last gave or confirmed the values; `nil` if there are none from the server.
  public var fetchDate: Date?

  /// A Boolean value that indicates whether nothing more is expected soon: the server has answered, it has refused, or
  /// the provider is offline.
  var isSettled = false
}
