import Foundation

/// The state of one key at a revision.
enum KeyState: Sendable, Hashable {
  /// The key has content since this revision.
  case present(Data, Int64)

  /// The key did not exist at this revision.
  case absent(Int64)

  /// Creates the state after an event.
  init(_ event: WatchEvent) {
    let entry = event.entry
    self = event.isDeletion ? .absent(entry.modRevision) : .present(entry.value, entry.modRevision)
  }

  /// Creates the state of a key that was read.
  init(_ entry: EtcdEntry?, at revision: Int64) {
    if let entry { self = .present(entry.value, entry.modRevision) } else { self = .absent(revision) }
  }

  /// The entries of the range that consists of the key alone.
  func entries(of key: Data) -> [EtcdEntry] {
    guard case .present(let value, let revision) = self else { return [] }
    return [EtcdEntry(key: key, modRevision: revision, value: value)]
  }

  /// The revision of the content for comparisons; 0 if there is none.
  var storedRevision: Int64 {
    if case .present(_, let revision) = self { revision } else { 0 }
  }

  /// The revision that orders this state among others of the key.
  var revision: Int64 {
    switch self {
    case .present(_, let revision), .absent(let revision): revision
    }
  }
}
