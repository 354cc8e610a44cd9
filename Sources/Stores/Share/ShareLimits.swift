import Foundation

/// The limits of the history of a shared database.
///
/// All processes should use the same limits.
public struct ShareLimits: Hashable, Sendable {
  /// The maximum number of changes that are kept for peers that have not received them.
  ///
  /// Changes are removed in groups, so up to one in sixteen fewer may be kept. A peer that returns later receives a
  /// change set that says that everything may have changed.
  public var historyCount: Int { didSet { historyCount = max(1, historyCount) } }

  /// The time for which the history is kept for a peer that does not return.
  public var peerLifetime: Duration { didSet { peerLifetime = max(.zero, peerLifetime) } }

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - historyCount: The maximum number of changes that are kept.
  ///   - peerLifetime: The time for which the history is kept for a peer that does not return.
  public init(historyCount: Int = 100_000, peerLifetime: Duration = .seconds(7 * 24 * 3600)) {
    self.historyCount = max(1, historyCount)
    self.peerLifetime = max(.zero, peerLifetime)
  }

  /// The number of changes between two trims of the history.
  var trimInterval: Int { min(256, max(1, historyCount / 16)) }

  /// The number of changes that trimming leaves, so that the limit is not exceeded before the next trim.
  var trimmedCount: Int { historyCount - trimInterval + 1 }

  var peerAge: Int64 { peerLifetime.components.seconds }

  /// The time of day, in seconds since 1970.
  static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
