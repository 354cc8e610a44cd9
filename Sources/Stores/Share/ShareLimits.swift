import Foundation

/// How long a shared database remembers what has changed.
///
/// All processes should agree on them.
public struct ShareLimits: Hashable, Sendable {
  /// The largest number of changes that are kept for peers that have not taken them in.
  ///
  /// Changes are removed some at a time, so up to one in sixteen fewer may be kept. A peer that comes later is told that
  /// everything may have changed.
  public var historyCount: Int

  /// For how long the history is kept for a peer that does not come back.
  public var peerLifetime: Duration

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - historyCount: The largest number of changes that are kept.
  ///   - peerLifetime: For how long the history is kept for a peer that does not come back.
  public init(historyCount: Int = 100_000, peerLifetime: Duration = .seconds(7 * 24 * 3600)) {
    self.historyCount = max(1, historyCount)
    self.peerLifetime = peerLifetime
  }

  /// The number of changes after which the history is trimmed again.
  var trimInterval: Int { min(256, max(1, historyCount / 16)) }

  /// The number of changes that trimming leaves, so that there are never too many before the next time.
  var trimmedCount: Int { historyCount - trimInterval + 1 }

  var peerAge: Int64 { peerLifetime.components.seconds }

  /// The time of day, in seconds since 1970.
  static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
