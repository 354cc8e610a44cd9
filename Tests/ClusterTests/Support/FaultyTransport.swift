import Cluster
import Foundation
import Signals
import Synchronization
import TestSupport

/// A transport to real servers, over a network that a test disturbs.
final class FaultyTransport: ClusterTransport {
  /// The fate of a call.
  enum Fate: Sendable {
    case answered
    /// The member receives the request, and its answer is lost.
    case answerLost
    /// The request is lost, which the client cannot know.
    case requestLost
    /// The request arrives after the client has given up waiting for the answer.
    case delayed
    /// The member receives the request, and the client receives this text with the status 200 instead of the answer.
    case garbled(String)
    /// The client receives this text with the status 400, and the member receives nothing.
    case refused(String)
    /// The first gate is opened when the member has answered, and the client receives the answer after the second one.
    case held(reached: Gate, until: Gate)
  }

  private struct State {
    var fate: @Sendable (ClusterRequest) -> Fate = { _ in .answered }
    var isCut = false
    var streams: [Int: SignalSink<Data, ClusterTransportError>] = [:]
    var count = 0
    var delayed: [ClusterRequest] = []
  }

  private let transport = SocketTransport()
  private let state = Guarded(State())

  /// Sets the fate of later calls.
  func set(_ fate: @escaping @Sendable (ClusterRequest) -> Fate) {
    state.withLock { $0.fate = fate }
  }

  /// Loses the first answers to transactions.
  func loseAnswers(_ count: Int, as fate: Fate = .answerLost) {
    let rest = Counter(count)
    set { $0.url.path.hasSuffix("txn") && rest.take() ? fate : .answered }
  }

  /// Ends all streams, and refuses new ones until ``mend()``.
  func cut() {
    let streams = state.withLock { state in
      state.isCut = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.fail(ClusterTransportError(reason: "the test cut the network", isUnsent: false)) }
  }

  /// Allows streams again.
  func mend() { state.withLock { $0.isCut = false } }

  /// Sends the requests that were delayed.
  func deliverDelayed() async throws {
    let requests = state.withLock { state in
      defer { state.delayed = [] }
      return state.delayed
    }
    for request in requests { _ = try await transport.call(request) }
  }

  func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse {
    let lost = ClusterTransportError(reason: "the test lost the answer", isUnsent: false)
    switch state.withLock({ $0.fate })(request) {
    case .answered: return try await transport.call(request)
    case .answerLost:
      _ = try await transport.call(request)
      throw lost
    case .requestLost: throw lost
    case .delayed:
      state.withLock { $0.delayed.append(request) }
      throw lost
    case .garbled(let text):
      _ = try await transport.call(request)
      return ClusterResponse(status: 200, body: Data(text.utf8))
    case .refused(let text): return ClusterResponse(status: 400, body: Data(text.utf8))
    case .held(let reached, let end):
      let response = try await transport.call(request)
      reached.open()
      do {
        try await end.pass()
      } catch {
        throw lost
      }
      return response
    }
  }

  func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError> {
    let upstream = transport.stream(request)
    return .create { [self] sink in
      let number = state.withLock { state -> Int? in
        guard !state.isCut else { return nil }
        state.count += 1
        state.streams[state.count] = sink
        return state.count
      }
      guard let number else {
        sink.fail(ClusterTransportError(reason: "the test cut the network", isUnsent: true))
        return SignalSubscription {}
      }
      let subscription = upstream.sink { completion in
        sink.send(completion: completion)
      } receiveValue: {
        sink.send($0)
      }
      return SignalSubscription { [weak self] in
        subscription.cancel()
        _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
      }
    }
  }
}

/// A number of permits.
final class Counter: Sendable {
  private let rest: Atomic<Int>

  init(_ count: Int) { rest = Atomic(count) }

  /// Takes a permit if there is one.
  func take() -> Bool { rest.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 }
}
