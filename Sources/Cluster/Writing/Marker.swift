import Foundation

/// A key that each change of this process also writes, so that the process can learn whether the change was made.
///
/// A change demands that the marker has the known revision. A repeated change therefore takes effect once at most.
struct Marker: Sendable, Hashable {
  let key: Data

  /// The lease that the key is bound to.
  let lease: Int64

  /// The revision of the last change; 0 if there was none.
  var revision: Int64

  /// The condition that no one has written the marker since its revision was learned.
  var isUnchanged: Comparison { Comparison(key: key, modRevision: revision) }

  /// The reason why the marker was written.
  enum Purpose: Sendable, Hashable {
    /// The change was made in the same transaction.
    case change
    /// Earlier attempts to make the change were prevented.
    case settling

    /// The content of the marker.
    var content: Data { self == .change ? Data() : Data("settled".utf8) }

    /// Creates the purpose that a content shows.
    init(_ content: Data) {
      self = content.isEmpty ? .change : .settling
    }
  }
}
