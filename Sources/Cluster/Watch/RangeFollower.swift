import Foundation

/// An object that keeps in step with all keys that have the same beginning.
protocol RangeFollower: AnyObject, Sendable {
  /// Applies changes of one revision, unless it knows newer ones.
  func receive(_ events: [WatchEvent])

  /// Applies a complete read of the range at a revision.
  func replace(with entries: [EtcdEntry], at revision: Int64)

  /// Accepts any revision from now on, because the revisions of the cluster have begun anew.
  func beginEra()
}
