import Foundation
import Synchronization

/// The least that calling a list of subscribers can cost: closures in nodes, in contiguous storage, without reference
/// counting, without order, threads or cancellation.
final class NodeList: @unchecked Sendable {  // Sound: immutable.
  private final class Node {
    let body: (Int) -> Void

    init(_ body: @escaping (Int) -> Void) {
      self.body = body
    }
  }

  private let nodes: UnsafeMutableBufferPointer<Unmanaged<Node>>

  init(count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    nodes = .allocate(capacity: count)
    for index in 0..<count { nodes.initializeElement(at: index, to: .passRetained(Node(body))) }
  }

  deinit {
    for node in nodes { node.release() }
    nodes.deallocate()
  }

  @inline(never)
  func call(_ value: Int) {
    for node in nodes { node._withUnsafeGuaranteedRef { $0.body(value) } }
  }
}

/// A bare mutex of the platform.
final class PlainLock: @unchecked Sendable {  // Sound: a mutex may be used from any thread.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func pair() {
    pthread_mutex_lock(mutex)
    pthread_mutex_unlock(mutex)
  }
}

/// Taking and giving back a token with two atomic compare-and-exchanges.
final class ExchangePair: Sendable {
  private let token = Atomic<UInt8>(0)

  @inline(__always)
  func pair() {
    _ = token.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
    _ = token.compareExchange(expected: 1, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed)
  }
}
