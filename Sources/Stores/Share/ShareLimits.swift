import Foundation

/// How long a shared database remembers what has changed.
///
/// All processes should agree on them.
public struct ShareLimits: Hashable, Sendable {
  /// How many changes are kept at most for peers that have not taken them in; those who come later are told that
  /// everything may have changed.
  public var historyCount: Int

  /// For how long the history is kept for a peer that does not come back.
  public var peerLifetime: Duration

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - historyCount: How many changes are kept at most.
  ///   - peerLifetime: For how long the history is kept for a peer that does not come back.
  public init(historyCount: Int = 100_000, peerLifetime: Duration = .seconds(7 * 24 * 3600)) {
    self.historyCount = max(1, historyCount)
    self.peerLifetime = peerLifetime
  }

  var peerAge: Int64 { peerLifetime.components.seconds }

  /// The time of day, in seconds since 1970.
  static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
