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
