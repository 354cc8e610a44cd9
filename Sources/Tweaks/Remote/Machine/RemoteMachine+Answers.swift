import Foundation
import Signals

extension RemoteMachine {
  mutating func answered(
    _ number: Int, _ result: Result<RemoteAnswer, TweakRequestFailure>, _ retryAfter: Duration?, _ turn: inout Turn
  ) {
    if let retryAfter { postpone(retryAfter, &turn) }
    guard let flight, flight.number == number else { return answeredLate(number, result, turn: &turn) }
    self.flight = nil
    switch result {
    case .success(.notModified): confirmed(flight, &turn)
    case .success(.content(let content)): arrived(content, &turn)
    case .failure(let failure): failed(failure, &turn)
    }
  }

  /// Stores the answer to a request of an earlier user for that user.
  private mutating func answeredLate(
    _ number: Int, _ result: Result<RemoteAnswer, TweakRequestFailure>, turn: inout Turn
  ) {
    guard let index = lateFlights.firstIndex(where: { $0.number == number }) else { return }
    let late = lateFlights.remove(at: index)
    // The current user's own request gives newer values.
    guard case .success(.content(var content)) = result, late.user.entry != user.entry else { return }
    content.fetched = turn.now.date
    content.fingerprint = late.user.fingerprint
    turn.add(.store(content, entry: late.user.entry))
  }

  // MARK: Success

  private mutating func confirmed(_ flight: Flight, _ turn: inout Turn) {
    // After a patch, the answer still says that nothing else has changed.
    guard flight.etag != nil, var content = newest else { return failed(.unexpectedNotModified, &turn) }
    content.fetched = turn.now.date
    if pending == nil { shown = content } else { pending = content }
    turn.add(.store(content, entry: user.entry))
    if activatesNext { activate(&turn) }
    succeeded(&turn)
  }

  private mutating func arrived(_ content: RemoteContent, _ turn: inout Turn) {
    adopt(content, &turn)
    stream.hasGap = false
    succeeded(&turn)
    replay(&turn)
  }

  /// Stores new values, and shows them unless they wait for the next launch.
  mutating func adopt(_ new: RemoteContent, _ turn: inout Turn) {
    var content = new
    content.fetched = turn.now.date
    content.fingerprint = user.fingerprint
    turn.add(.store(content, entry: user.entry))
    if policy.activation == .immediate || activatesNext {
      shown = content
      pending = nil
      turn.add(.show(content.tweaks))
    } else {
      pending = content
    }
  }

  private mutating func succeeded(_ turn: inout Turn) {
    failure = nil
    failures = 0
    isConfirmed = true
    isOutdated = false
    activatesNext = false
    turn.add(.recovered)
    publish(&turn)
    answerCalls(nil, &turn)
    poll(&turn)
  }

  /// Schedules the next request, unless the stream sends all changes.
  mutating func poll(_ turn: inout Turn) {
    guard let polling = policy.polling, !isOffline, !stream.isConnected else { return }
    let pauses = Backoff.constant(polling, jitter: min(max(0, policy.pollingJitter), 1))
    if let pause = pauses.pause(after: 1, chance: turn.chance) { schedule(pause, turn) }
  }

  // MARK: Failure

  mutating func failed(_ failure: TweakRequestFailure, _ turn: inout Turn) {
    // The request of a provider that went offline was bound to fail.
    if isOffline { return answerCalls(.offline, &turn) }
    self.failure = failure
    failures += 1
    turn.add(.report(failure))
    publish(&turn)
    answerCalls(failure, &turn)
    if failure.isFatal { return disconnect(&turn) }
    retry(&turn)
  }

  /// Schedules another attempt.
  mutating func retry(_ turn: inout Turn) {
    guard policy.polling != nil, !isOffline else { return }
    if let pause = policy.retry.pause(after: failures, chance: turn.chance) {
      schedule(pause, turn)
    } else {
      poll(&turn)
    }
  }

  /// Sends no request for a while, because the server asks for it.
  private mutating func postpone(_ pause: Duration, _ turn: inout Turn) {
    let pause = min(max(.zero, pause), policy.longestRetryAfter)
    notBefore = turn.now.elapsed + pause
    turn.add(.postpone(until: turn.now.date.addingTimeInterval(pause.inSeconds)))
    if nextRequest != nil { nextRequest = max(nextRequest ?? .zero, notBefore ?? .zero) }
  }
}
