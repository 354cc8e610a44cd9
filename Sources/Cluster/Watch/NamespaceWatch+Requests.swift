import Foundation
import Signals

/// The requests of a watch, whose results become events.
extension NamespaceWatch {
  /// Reads all open keys.
  func read(_ number: Int) {
    let (ranges, era) = state.withLock { ($0.ranges.takeAll(), $0.machine.era) }
    Task { [weak self, client, namespace] in
      do throws(ClusterError) {
        let snapshot = try await client.snapshot(of: ranges, era: era, in: namespace)
        self?.post(.read(number, snapshot))
      } catch {
        self?.post(.notRead(number, error))
      }
    }
  }

  /// Reads the keys that were opened since the last read, if the stream is open.
  ///
  /// Before that, a read of all keys will follow.
  func readUnread() {
    let (ranges, era) = state.withLock { state -> ([KeyRange], Int) in
      guard state.machine.isConnected, !state.isReadingUnread else { return ([], 0) }
      let ranges = state.ranges.takeUnread(limit: EtcdClient.maximumOperations)
      state.isReadingUnread = !ranges.isEmpty
      return (ranges, state.machine.era)
    }
    guard !ranges.isEmpty else { return }
    Task { [weak self, client, namespace] in
      do throws(ClusterError) {
        let snapshot = try await client.snapshot(of: ranges, era: era, in: namespace)
        self?.onQueue { $0.didRead(ranges, .success(snapshot)) }
      } catch {
        self?.onQueue { $0.didRead(ranges, .failure(error)) }
      }
    }
  }

  private func didRead(_ ranges: [KeyRange], _ result: Result<KeySnapshot, ClusterError>) {
    state.withLock { $0.isReadingUnread = false }
    switch result {
    case .success(let snapshot):
      if snapshot.era == era { apply(snapshot) }
    case .failure(let error):
      for follower in state.withLock({ state in ranges.flatMap { state.ranges.followers(of: $0) } }) {
        follower.fail(error)
      }
      failures.send(error)
      // They are read again when the stream is open.
      state.withLock { $0.ranges.markUnread(ranges) }
      handle(.ended(state.withLock { $0.machine.generation }, error))
    }
    readUnread()
  }

  /// Asks the member of the stream for the revision of the cluster.
  func ask(_ number: Int) {
    let endpoint = state.withLock { $0.endpoint } ?? client.endpoint
    Task { [weak self, client, namespace] in
      do throws(CallFailure) {
        let request = RangeRequest(key: namespace.prefix, countOnly: true)
        let response = try await client.attempt(.range, request, at: endpoint, for: client.options.attemptTime)
        self?.post(.alive(number, response.header))
      } catch {
        self?.post(.notAlive(number, client.error(error, key: namespace.name)))
      }
    }
  }

  // MARK: The stream

  func open(_ number: Int, from revision: Int64) {
    close()
    let endpoint = client.endpoint
    state.withLock { $0.endpoint = endpoint }
    let request = WatchRequest(key: namespace.prefix, rangeEnd: namespace.end, startRevision: revision)
    Task { [weak self, client, namespace] in
      do throws(CallFailure) {
        let parts = try await client.stream(request, at: endpoint)
        self?.onQueue { $0.subscribe(to: parts, number, endpoint) }
      } catch {
        self?.post(.ended(number, client.error(error, key: namespace.name)))
      }
    }
  }

  private func subscribe(to parts: AnySignal<Data, ClusterTransportError>, _ number: Int, _ endpoint: Endpoint) {
    guard state.withLock({ $0.machine.generation == number }) else { return }
    let subscription = parts.sink { [weak self] completion in
      guard let self else { return }
      // An error is a line without an end.
      onQueue { $0.receive(Data([UInt8(ascii: "\n")]), number, endpoint) }
      let reason = if case .failure(let error) = completion { error.reason } else { "the member closed a watch" }
      post(.ended(number, .unreachable(endpoints: [endpoint.name], reason: reason)))
    } receiveValue: { [weak self] data in
      self?.onQueue { $0.receive(data, number, endpoint) }
    }
    state.withLock { $0.stream = subscription }
  }

  func close() {
    let old = state.withLock { state in
      state.lines = LineSplitter(limit: client.options.maximumMessageSize)
      return state.stream.take()
    }
    old?.cancel()
  }

  private func receive(_ data: Data, _ number: Int, _ endpoint: Endpoint) {
    metrics.modify { $0.receivedBytes += data.count }
    let lines: [Data]
    do throws(LineSplitter.TooLong) {
      lines = try state.withLock { state throws(LineSplitter.TooLong) in
        state.machine.generation == number ? try state.lines.append(data) : []
      }
    } catch {
      let limit = client.options.maximumMessageSize
      return handle(.tooLong(number, .messageTooLarge(endpoint: endpoint.name, limit: limit)))
    }
    for line in lines { handle(event(of: line, number, endpoint)) }
  }

  private func event(of line: Data, _ number: Int, _ endpoint: Endpoint) -> WatchMachine.Event {
    do {
      let line = try JSONDecoder().decode(StreamLine<WatchMessage>.self, from: line)
      if let message = line.result { return .message(number, message) }
      if let failure = line.error {
        return .ended(number, client.error(.refused(endpoint, failure), key: namespace.name))
      }
    } catch {
      // The same as a line without a message.
    }
    return .ended(number, .unexpectedAnswer(endpoint: endpoint.name, reason: "a line of a watch is not a message"))
  }
}
