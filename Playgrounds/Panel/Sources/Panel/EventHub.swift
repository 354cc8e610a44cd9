import Foundation
import Inspector
import Signals

/// The updates of an inspector, as streams of events that browsers can resume.
///
/// The last changes stay in a ring. ``ChangeSampling`` limits their number; the others are counted.
actor EventHub {
  private let inspector: Inspector

  /// A text that is different for each hub, so that the places of different streams are not mixed up.
  private let epoch = String(UInt32.random(in: .min ... .max), radix: 36)

  private var ring: [Frame] = []
  private var ringBytes = 0

  /// What a client must know at least to continue.
  private var forgotten = EventID(position: 0, moment: 0)

  /// The last frame and the last update.
  private var last = EventID(position: 0, moment: 0)

  private var clients: [Int: EventClient] = [:]
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextClient = 0
  private var tasks: [Task<Void, Never>] = []
  private var following: SignalSubscription?
  private var isTicking = false

  /// The updates in which the state of a resource last changed, and in which one was removed.
  private var states: [String: Int] = [:]
  private var removals: [String: Int] = [:]
  private var sampling = ChangeSampling()

  private static let ringLimit = 10_000
  private static let ringByteLimit = 8 << 20
  private static let removalLimit = 10_000
  static let clientLimit = 8

  init(_ inspector: Inspector) {
    self.inspector = inspector
  }

  /// Follows the inspector from now on.
  func start() {
    let (stream, continuation) = AsyncStream<InspectorUpdate>.makeStream()
    following = inspector.updates.sink { continuation.yield($0) }
    tasks = [
      Task { for await update in stream { self.take(update) } },
      Task {
        while !Task.isCancelled {
          do { try await Task.sleep(for: .seconds(5)) } catch { return }
          self.beat()
        }
      },
    ]
  }

  func stop() {
    tasks.forEach { $0.cancel() }
    for id in clients.keys {
      clients[id]?.end()
      wake(id)
    }
  }

  /// Returns the last snapshot, with the place in the stream after which a client must continue.
  func snapshot() -> SnapshotAnswer {
    // The snapshot contains at least everything that the stream contains up to this place.
    SnapshotAnswer(snapshot: inspector.value, epoch: epoch, seq: last.text)
  }

  // MARK: Updates

  private func take(_ update: InspectorUpdate) {
    last.moment += 1
    for resource in update.resources {
      states[resource.id] = last.moment
      removals[resource.id] = nil
    }
    for id in update.removed {
      states[id] = nil
      removals[id] = last.moment
    }
    if removals.count > Self.removalLimit {
      removals = [:]
      forgotten.moment = last.moment
    }
    for change in update.changes { send(sampling.add(change, at: .now)) }
    for id in clients.keys {
      clients[id]?.add(StateEvent(update), moment: last.moment)
      wake(id)
    }
    tickLater()
  }

  private func send(_ change: InspectorChange?) {
    guard let change else { return }
    append { Frame("change", change, position: $0, change: (change.sequence, change.count)) }
  }

  private func append(_ make: (_ position: Int) -> Frame) {
    last.position += 1
    let frame = make(last.position)
    ring.append(frame)
    ringBytes += frame.bytes.count
    // Frames are removed in bulk, because each removal moves the rest.
    if ring.count > Self.ringLimit + 1000 || ringBytes > Self.ringByteLimit {
      var count = max(0, ring.count - Self.ringLimit)
      var bytes = ring.prefix(count).reduce(0) { $0 + $1.bytes.count }
      while ringBytes - bytes > Self.ringByteLimit * 9 / 10, count < ring.count {
        bytes += ring[count].bytes.count
        count += 1
      }
      forgotten.position += count
      ring.removeFirst(count)
      ringBytes -= bytes
    }
    for id in clients.keys {
      clients[id]?.add(frame)
      wake(id)
    }
  }

  /// Calls ``tick()`` until nothing is postponed.
  private func tickLater() {
    guard !isTicking, sampling.isHolding || clients.values.contains(where: \.isPostponed) else { return }
    isTicking = true
    Task {
      try await Task.sleep(for: .milliseconds(20))
      self.tick()
    }
  }

  private func tick() {
    isTicking = false
    for change in sampling.due(at: .now) { send(change) }
    if let gap = sampling.takeGap(at: .now) { append { Frame("gap", gap, position: $0) } }
    for (id, client) in clients where client.isReady { wake(id) }
    tickLater()
  }

  private func beat() {
    for id in clients.keys {
      clients[id]?.addHeartbeat()
      wake(id)
    }
  }

  // MARK: Clients

  /// Adds a client that continues after an event, or returns `nil` if there are too many.
  ///
  /// - Parameter text: The identifier of the last event that the client received, such as `k3f9:813:1200`.
  /// - Returns: The number of the client.
  func open(after text: String?) -> Int? {
    guard clients.count < Self.clientLimit else { return nil }
    nextClient += 1
    let known = EventID(text, epoch: epoch).flatMap { isKnown($0) ? $0 : nil }
    var client = EventClient(after: known ?? last)
    let snapshot = inspector.value
    let hello = HelloEvent(epoch: epoch, seq: last.text, writable: snapshot.writable, resumed: known != nil)
    client.add(Frame("hello", hello, position: nil))
    if let known {
      for frame in ring.suffix(last.position - known.position) { client.add(frame) }
      let state = StateEvent(
        resources: snapshot.resources.filter { states[$0.id].map { $0 > known.moment } ?? false },
        removed: removals.filter { $0.value > known.moment }.map(\.key), processes: snapshot.processes,
        problems: snapshot.problems)
      client.add(state, moment: last.moment)
    } else {
      let reason = text == nil ? "there was no Last-Event-ID" : "the event \(text ?? "") is no longer known"
      client.add(Frame("reset", ResetEvent(epoch: epoch, seq: last.text, reason: reason), position: nil))
      client.end()
    }
    clients[nextClient] = client
    return nextClient
  }

  private func isKnown(_ id: EventID) -> Bool {
    (forgotten.position...last.position).contains(id.position) && (forgotten.moment...last.moment).contains(id.moment)
  }

  func close(_ id: Int) {
    clients[id] = nil
    wake(id)
  }

  /// Waits for the next bytes of a client's stream, or returns `nil` at its end.
  func next(_ id: Int) async -> [UInt8]? {
    while let client = clients[id] {
      if client.isReady {
        let bytes = clients[id]?.take(epoch: epoch) ?? []
        // An empty part would end the stream.
        if !bytes.isEmpty { return bytes }
      } else if client.isEnding {
        break
      }
      tickLater()
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiters[id] = $0 }
      } onCancel: {
        Task { await self.close(id) }
      }
    }
    close(id)
    return nil
  }

  private func wake(_ id: Int) {
    waiters.removeValue(forKey: id)?.resume()
  }
}
