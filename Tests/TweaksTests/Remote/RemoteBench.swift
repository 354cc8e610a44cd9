import Foundation
import Testing
@testable import Tweaks

/// A machine with clocks that a test advances, and a record of its effects.
struct RemoteBench {
  var machine: RemoteMachine
  var date = Date(timeIntervalSinceReferenceDate: 800_000_000)
  var elapsed = Duration.zero
  var chance = 0.5
  var effects: [RemoteEffect] = []

  static let anna = RemoteUser(context: TweakContext(targetingKey: "anna"), entry: "A", fingerprint: "a")
  static let ben = RemoteUser(context: TweakContext(targetingKey: "ben"), entry: "B", fingerprint: "b")

  init(
    _ policy: RemoteTweakPolicy = RemoteTweakPolicy(), user: RemoteUser = anna, hasStream: Bool = false,
    hasBootstrap: Bool = false, isShared: Bool = false
  ) {
    machine = RemoteMachine(
      policy: policy, user: user, hasStream: hasStream, hasBootstrap: hasBootstrap, isShared: isShared)
  }

  static func content(
    _ value: Int, etag: String? = "e", version: Int? = nil, fetched: Date = .distantPast, for user: RemoteUser = anna
  ) -> RemoteContent {
    var content = RemoteContent(
      tweaks: [Tweak(feature: "f", variable: "v", value: .int(value))], body: Data("\(value)".utf8), etag: etag,
      version: version)
    content.fetched = fetched
    content.fingerprint = user.fingerprint
    return content
  }

  /// Cached values that were fetched a minute ago.
  func cached(_ value: Int, etag: String? = "e", version: Int? = nil, for user: RemoteUser = anna) -> RemoteContent {
    Self.content(value, etag: etag, version: version, fetched: date.addingTimeInterval(-60), for: user)
  }

  @discardableResult
  mutating func handle(_ event: RemoteEvent) -> [RemoteEffect] {
    let new = machine.handle(event, now: RemoteMoment(date: date, elapsed: elapsed), chance: chance)
    effects += new
    return new
  }

  /// Advances both clocks, and rings the alarm whenever it is due.
  mutating func advance(by duration: Duration) {
    let end = elapsed + duration
    while let next = machine.nextWake, next <= end {
      pass(max(.zero, next - elapsed))
      handle(.wake)
    }
    pass(end - elapsed)
  }

  private mutating func pass(_ duration: Duration) {
    elapsed += duration
    date += Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  mutating func start(_ content: RemoteContent? = nil, notBefore: Date? = nil) {
    handle(.started(content, notBefore: notBefore))
  }

  /// Answers the request in progress.
  @discardableResult
  mutating func answer(_ content: RemoteContent) -> [RemoteEffect] {
    handle(.answered(flight: flight, .success(.content(content)), retryAfter: nil))
  }

  @discardableResult
  mutating func fail(_ status: Int, retryAfter: Duration? = nil) -> [RemoteEffect] {
    handle(.answered(flight: flight, .failure(.status(status)), retryAfter: retryAfter))
  }

  /// The number of the request in progress, or 0.
  var flight: Int { machine.flight?.number ?? 0 }

  var state: RemoteTweakState { machine.status.state }
  var origin: RemoteTweakOrigin { machine.status.origin }

  /// The values that are shown, one after another; `nil` stands for those of the start.
  var shown: [Int?] {
    effects.compactMap { effect in
      guard case .show(let tweaks) = effect else { return nil }
      return .some(tweaks?.first?.intValue)
    }
  }

  var requests: [TweakRequest] {
    effects.compactMap { effect in if case .send(let request, _) = effect { request } else { nil } }
  }

  var stored: [String: Int] {
    effects.reduce(into: [:]) { stored, effect in
      if case .store(let content, let entry) = effect { stored[entry] = content.tweaks.first?.intValue }
    }
  }

  var answers: [Int: TweakRequestFailure?] {
    effects.reduce(into: [:]) { answers, effect in
      if case .answer(let call, let failure) = effect { answers[call] = .some(failure) }
    }
  }

  /// The time until the next request.
  var pause: Duration? { machine.nextRequest.map { $0 - elapsed } }
}
