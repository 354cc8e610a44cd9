import Foundation

/// The state of keys at one revision.
struct KeySnapshot: Sendable {
  /// The header of the read; its revision holds for the whole snapshot.
  var header: EtcdHeader

  /// All entries of each range that was read; none for a key that does not exist.
  var entries: [KeyRange: [EtcdEntry]]

  /// The number of the era in which the read began; see ``WatchMachine/era``.
  var era: Int
}

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

extension EtcdClient {
  /// The largest number of operations that a member allows in a transaction, by default.
  static let maximumOperations = 128

  /// Reads any number of ranges of keys at one revision, those of many keys in pages.
  ///
  /// - Parameters:
  ///   - ranges: The ranges.
  ///   - era: The era to be recorded in the snapshot.
  ///   - namespace: The namespace that errors name, which is also read, so that there is a revision without a key.
  /// - Returns: The snapshot.
  /// - Throws: An error if the keys cannot be read before the deadline.
  func snapshot(
    of ranges: [KeyRange], era: Int, in namespace: Namespace
  ) async throws(ClusterError) -> KeySnapshot {
    let keys = ranges.compactMap { if case .key(let key) = $0 { key } else { nil } }
    let prefixes = ranges.compactMap { if case .prefix(let prefix) = $0 { prefix } else { nil } }
    attempts: while true {
      var snapshot = KeySnapshot(header: EtcdHeader(), entries: [:], era: era)
      var rest = keys[...]
      repeat {
        let chunk = Array(rest.prefix(Self.maximumOperations))
        rest = rest.dropFirst(chunk.count)
        let revision = snapshot.header.revision
        let ranges = chunk.map { RangeRequest(key: $0, revision: revision) }
        let reads = chunk.isEmpty ? [RangeRequest(key: namespace.prefix, countOnly: true)] : ranges
        let response: TransactionResponse
        do throws(ClusterError) {
          response = try await transaction(
            TransactionRequest(success: reads.map { .range($0) }), for: namespace.name)
        } catch {
          // Compacted in between, so that the revision cannot be read any more.
          if case .refused(_, let code, let message) = error, EtcdFailure(code: code, message: message).isCompacted {
            continue attempts
          }
          throw error
        }
        if revision == 0 { snapshot.header = response.header }
        guard response.header.clusterID == snapshot.header.clusterID else { continue attempts }
        for (key, entries) in zip(chunk, response.results) { snapshot.entries[.key(key)] = entries }
      } while !rest.isEmpty
      for prefix in prefixes {
        guard let entries = try await entries(of: prefix, at: snapshot.header, in: namespace) else { continue attempts }
        snapshot.entries[.prefix(prefix)] = entries
      }
      return snapshot
    }
  }

  /// The largest number of keys in a page of a range.
  static let pageSize: Int64 = 256

  /// Reads all keys of a range at a revision, page by page.
  ///
  /// - Returns: The entries; `nil` if the revision has been compacted, or belongs to another cluster.
  private func entries(
    of prefix: Data, at header: EtcdHeader, in namespace: Namespace
  ) async throws(ClusterError) -> [EtcdEntry]? {
    var entries: [EtcdEntry] = []
    var next = prefix
    while true {
      let request = RangeRequest(
        key: next, rangeEnd: Namespace.end(of: prefix), revision: header.revision, limit: Self.pageSize)
      let response: RangeResponse
      do throws(ClusterError) {
        response = try await read(.range, request, for: namespace.name)
      } catch {
        if case .refused(_, let code, let message) = error, EtcdFailure(code: code, message: message).isCompacted {
          return nil
        }
        throw error
      }
      guard response.header.clusterID == header.clusterID else { return nil }
      entries += response.entries
      guard response.hasMore, let last = response.entries.last else { return entries }
      // The first key after the last one.
      next = last.key + [0]
    }
  }
}
