import Signals

/// The relation of the first state to the value that a cache had.
extension ClusterValueCore {
  /// Asks the majority for the state of the key, because another one was older than the value of the cache.
  ///
  /// It was late, or the cluster was restored from a backup.
  func confirm() {
    guard beginConfirming() else { return }
    let client = cluster.connection.client
    Task { [weak self, client, key, place] in
      var pauses = client.options.backoff.pauses()
      while true {
        do throws(ClusterError) {
          let response = try await client.read(.range, RangeRequest(key: key), for: place)
          self?.confirm(KeyState(response.entries.first, at: response.header.revision))
          return
        } catch {
          guard let self else { return }
          fail(error)
        }
        await pause(pauses.next() ?? .seconds(5))
      }
    }
  }
}
