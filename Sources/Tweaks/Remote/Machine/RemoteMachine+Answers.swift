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
    case .success(.content(let content)): arrived(content, flight, &turn)
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
    guard flight.etag != nil, var content = newest else { return failed(.status(304), &turn) }
    content.fetched = turn.now.date
    if flight.changeCount == changeCount { confirmation = turn.now.elapsed }
    if pending == nil { shown = content } else { pending = content }
    turn.add(.store(content, entry: user.entry))
    if activatesNext { activate(&turn) }
    succeeded(&turn)
  }

  private mutating func arrived(_ content: RemoteContent, _ flight: Flight, _ turn: inout Turn) {
    let order = order(of: content, sent: flight.sent, after: flight.changeCount)
    if order == .newer { adopt(content, &turn) }
    succeeded(isBehind: order == .behind, &turn)
  }

  /// The relation of values that arrive to the newest ones.
  enum Order {
    /// They are at least as new.
    case newer

    /// They are older, because the newest ones arrived after the request was sent.
    case overtaken

    /// They are older, because the server lags behind.
    case behind
  }

  /// Compares values that arrive with the newest ones.
  ///
  /// - Parameters:
  ///   - content: The values that arrive.
  ///   - sent: The time when they were requested.
  ///   - count: The number of changes that had been made by then.
  /// - Returns: The relation.
  func order(of content: RemoteContent, sent: Duration, after count: Int) -> Order {
    guard let newest, newest.fingerprint == user.fingerprint else { return .newer }
    let isOvertaken = count != changeCount
    if let version = content.version, let known = newest.version {
      if version >= known { return .newer }
      if isOvertaken { return .overtaken }
      return sent - confirmation > RemoteContent.longestLag ? .newer : .behind
    }
    return isOvertaken ? .overtaken : .newer
  }

  /// Stores new values, and shows them unless they wait for the next launch.
  mutating func adopt(_ new: RemoteContent, _ turn: inout Turn) {
    var content = new
    content.fetched = turn.now.date
    content.fingerprint = user.fingerprint
    confirmation = turn.now.elapsed
    turn.add(.store(content, entry: user.entry))
    keep(content, &turn)
  }

  /// Shows newer values, unless they wait for the next launch.
  mutating func keep(_ content: RemoteContent, _ turn: inout Turn) {
    changeCount += 1
    if policy.activation == .immediate || activatesNext {
      shown = content
      pending = nil
      turn.add(.show(content.tweaks))
    } else {
      pending = content
    }
  }

  /// Ends a request that the server has answered.
  ///
  /// - Parameters:
  ///   - isBehind: A Boolean value that indicates whether the answer was older than the values.
  ///   - turn: The turn.
  private mutating func succeeded(isBehind: Bool = false, _ turn: inout Turn) {
    // A turn that was wanted before is not needed: the next request has its own time.
    sharing.outdateClaim()
    failure = nil
    isConfirmed = true
    isOutdated = false
    // While the stream is connected, nothing else asks again.
    stream.hasGap = isBehind && stream.isConnected
    let isWhole = replay(&turn)
    activatesNext = false
    turn.add(.recovered)
    answerCalls(nil, &turn)
    if isBehind || !isWhole {
      failures += 1
      retry(&turn)
    } else {
      failures = 0
      poll(&turn)
    }
    // After a refusal, the stream is connected again.
    if stream.nextConnection == nil { connect(&turn) }
  }

  /// Schedules the next request, unless the stream sends all changes.
  ///
  /// - Parameters:
  ///   - age: The age of the values in seconds.
  ///   - turn: The turn.
  mutating func poll(after age: TimeInterval = 0, _ turn: inout Turn) {
    guard let polling = policy.polling, !isOffline, !stream.isConnected else { return }
    let pauses = Backoff.constant(polling, jitter: min(max(0, policy.pollingJitter), 1))
    if let pause = pauses.pause(after: 1, chance: turn.chance) {
      schedule(max(.zero, pause - .seconds(age)), turn)
    }
  }

  // MARK: Failure

  mutating func failed(_ failure: TweakRequestFailure, _ turn: inout Turn) {
    // The patches that waited for the answer wait for another one.
    if !stream.waiting.isEmpty { stream.hasGap = true }
    // The request of a provider that went offline was bound to fail.
    if isOffline { return answerCalls(.offline, &turn) }
    sharing.outdateClaim()
    self.failure = failure
    failures += 1
    turn.add(.report(failure))
    answerCalls(failure, &turn)
    if failure.isFatal {
      nextRequest = nil
      return disconnect(&turn)
    }
    retry(&turn)
  }

  /// Schedules another attempt.
  mutating func retry(_ turn: inout Turn) {
    // A gap must be closed, although requests are otherwise made only by `refresh()`, or by no one.
    guard policy.polling != nil || stream.hasGap, !isOffline else { return }
    if let pause = policy.retry.pause(after: failures, chance: turn.chance) {
      schedule(pause, turn)
    } else if stream.hasGap {
      schedule(policy.polling ?? Self.usualPolling, turn)
    } else {
      poll(&turn)
    }
  }

  /// The pause between requests of a policy without polling that has given up short ones.
  private static let usualPolling = Duration.seconds(300)

  /// Sends no request for a while, because the server asks for it.
  mutating func postpone(_ pause: Duration, _ turn: inout Turn) {
    let pause = min(max(.zero, pause), policy.longestRetryAfter)
    notBefore = turn.now.elapsed + pause
    turn.add(.postpone(until: turn.now.date.addingTimeInterval(pause.inSeconds)))
    if nextRequest != nil { nextRequest = max(nextRequest ?? .zero, notBefore ?? .zero) }
  }
}
