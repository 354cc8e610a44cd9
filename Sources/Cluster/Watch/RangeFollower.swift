import Foundation

/// A range of keys: one key, or all keys that have the same beginning.
enum KeyRange: Hashable, Sendable {
  case key(Data)
  case prefix(Data)
}

/// An object that keeps in step with a range of keys.
///
/// It is no subscriber, because it also says when the range was read, is lost and must be read again.
protocol RangeFollower: AnyObject, Sendable {
  /// Applies changes of one revision, unless it knows newer ones.
  func receive(_ events: [WatchEvent])

  /// Applies a complete read of the range at a revision.
  func replace(with entries: [EtcdEntry], at revision: Int64)

  /// Accepts any revision from now on, because the revisions of the cluster have begun anew.
  func beginEra()

  /// Records that the range could not be read.
  func fail(_ error: ClusterError)
}
