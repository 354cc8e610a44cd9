import Signals

/// Keeps the newest value of a cluster in a cache, which several processes may write.
final class CacheWriter<Cache: SharedValue, Value: Codable & Sendable>: Sendable
where Cache.Value == ClusterRecord<Value>, Cache: Sendable {
  private struct State {
    /// The record to be written, and whether it replaces a newer one.
    var next: (record: ClusterRecord<Value>, isForced: Bool)?
    var isWriting = false
  }

  private let cache: Cache
  private let state = Guarded(State())

  init(_ cache: Cache) {
    self.cache = cache
  }

  /// Writes a record soon, unless the cache has a newer one.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - isForced: A Boolean value that indicates whether the revisions of the cluster have begun anew.
  func keep(_ record: ClusterRecord<Value>, isForced: Bool) {
    let begins = state.withLock { state in
      // A later record of the same process is newer.
      state.next = (record, isForced || state.next?.isForced == true)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task { await write() } }
  }

  private func write() async {
    while let (record, isForced) = next() {
      guard isForced || record.revision > cache.value.revision else { continue }
      do {
        try await cache.update { stored in
          if isForced || record.revision > stored.revision { stored = record }
        }
      } catch {
        // The cache reports its own failures. The next value is written again.
      }
    }
  }

  private func next() -> (record: ClusterRecord<Value>, isForced: Bool)? {
    state.withLock { state in
      if state.next == nil { state.isWriting = false }
      return state.next.take()
    }
  }
}
