import Foundation
import Signals

extension RemoteMachine {
  /// The requests of processes that share a cache.
  ///
  /// A process that wants to ask the server first claims the turn, a lock that it keeps until the answer is stored. If
  /// the cache then has newer values than this process, another process has asked, and these values are taken instead,
  /// unless changes may be missing between them and the stream.
  struct SharingState: Sendable, Hashable {
    /// The claim whose result is on its way.
    var claim = Claim.none

    /// A Boolean value that indicates whether the values of the start are from the last polling interval.
    var isCurrent = false

    /// A Boolean value that indicates whether this process has the turn.
    var isClaimed = false

    /// The time since which another process has had the turn.
    var busySince: Duration?

    /// A claim, of which there is one at a time.
    enum Claim: Sendable, Hashable {
      case none
      case pending

      /// Newer values or another user have come since it was made, and perhaps another request is due.
      case outdated(isAskedAgain: Bool)
    }

    /// A Boolean value that indicates whether a request follows the result of the claim.
    var isAsking: Bool { claim == .pending || claim == .outdated(isAskedAgain: true) }

    mutating func outdateClaim() {
      if claim != .none { claim = .outdated(isAskedAgain: false) }
    }
  }

  /// Sends a request, in turn with the other processes.
  mutating func ask(_ turn: inout Turn) {
    guard isShared else { return send(&turn) }
    guard beginRequest(turn) else { return }
    endClaimIfUnused(&turn)
    switch sharing.claim {
    case .pending: break
    case .outdated: sharing.claim = .outdated(isAskedAgain: true)
    case .none:
      sharing.claim = .pending
      turn.add(.claim(entry: user.entry))
    }
  }

  mutating func claimed(
    _ isGranted: Bool, _ content: RemoteContent?, _ notBefore: Date?, _ turn: inout Turn
  ) {
    let claim = sharing.claim
    sharing.claim = .none
    note(notBefore, turn)
    guard claim == .pending else {
      if isGranted { turn.add(.endClaim) }
      if claim == .outdated(isAskedAgain: true) { ask(&turn) }
      return
    }
    sharing.isClaimed = isGranted
    let isAnswered = content.map { follow($0, &turn) } ?? false
    if isAnswered || flight != nil || isRefused { return }
    if !isGranted, let pause = pauseWhileBusy(turn) { return schedule(pause, turn) }
    sharing.busySince = nil
    send(&turn)
  }

  /// Returns the pause until the next claim while another process has the turn; `nil` if it has had it for too long, as
  /// a stopped process may.
  private mutating func pauseWhileBusy(_ turn: Turn) -> Duration? {
    let since = sharing.busySince ?? turn.now.elapsed
    sharing.busySince = since
    let end = since + policy.timeout
    guard turn.now.elapsed < end else { return nil }
    return min(end - turn.now.elapsed, policy.polling ?? policy.timeout)
  }

  /// Ends the turn of this process when no request needs it.
  mutating func endClaimIfUnused(_ turn: inout Turn) {
    guard sharing.isClaimed, flight == nil else { return }
    sharing.isClaimed = false
    turn.add(.endClaim)
  }

  /// Takes the values that another process has stored for the current user, if they are newer.
  ///
  /// - Returns: A Boolean value that indicates whether they are so new that the server need not be asked. They are not
  ///   if changes may be missing between them and the stream.
  mutating func follow(_ content: RemoteContent, _ turn: inout Turn) -> Bool {
    guard content.fingerprint == user.fingerprint, turn.age(of: content) >= 0 else { return false }
    if let newest, newest.fingerprint == user.fingerprint {
      guard content.fetched > newest.fetched, !newest.outranks(content) else { return false }
    }
    // Without a version, the values may be older than those of the request in progress.
    if content.version == nil, flight != nil { return false }
    sharing.busySince = nil
    let isFresh = isFresh(content, turn)
    // The stream has sent all changes, and values without a version may lack some of them.
    let isStreamed = content.version == nil && stream.isConnected && isConfirmed && !stream.hasGap
    if !isStreamed { replace(by: content, isFresh: isFresh, &turn) }
    guard isFresh else { return false }
    confirm(&turn)
    if flight == nil { poll(after: turn.age(of: content), &turn) }
    return !stream.hasGap
  }

  /// Notes that the values are those that the server has now.
  mutating func confirm(_ turn: inout Turn) {
    // A gap still needs the request that is claimed or scheduled, and the pauses between such requests grow.
    if !stream.hasGap {
      sharing.outdateClaim()
      failures = 0
      if stream.isConnected { nextRequest = nil }
    }
    (failure, isConfirmed, isOutdated, activatesNext) = (nil, true, false, false)
    turn.add(.recovered)
  }

  /// Returns a Boolean value that indicates whether the server has given or confirmed values for the current user
  /// within the last polling interval.
  func isFresh(_ content: RemoteContent, _ turn: Turn) -> Bool {
    guard let polling = policy.polling, content.fingerprint == user.fingerprint else { return false }
    let age = turn.age(of: content)
    return age >= 0 && age < polling.inSeconds
  }
}
