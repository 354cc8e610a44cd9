/// A first-in, first-out queue in one array, whose memory is reused, unless a burst has made it large.
@usableFromInline
package struct RingBuffer<Element> {
  /// The slots; their number is zero or a power of two.
  @usableFromInline var storage: [Element?] = []
  @usableFromInline var head = 0

  /// The number of elements.
  @usableFromInline package var count = 0

  @inlinable @inline(__always)
  package init() {}

  /// The number of elements that fit before more memory is needed.
  @inlinable @inline(__always)
  package var capacity: Int { storage.count }

  /// A Boolean value that indicates whether the buffer is empty.
  @inlinable @inline(__always)
  package var isEmpty: Bool { count == 0 }

  /// The oldest element, or `nil` if there is none.
  @inlinable
  package var first: Element? { isEmpty ? nil : storage[head] }

  /// The elements, oldest first.
  @inlinable
  package var elements: [Element] {
    (0..<count).compactMap { storage[(head + $0) & (storage.count - 1)] }
  }

  /// Adds an element at the end.
  @inlinable @inline(__always)
  package mutating func append(_ element: Element) {
    if count == storage.count { grow() }
    storage[(head &+ count) & (storage.count &- 1)] = element
    count &+= 1
  }

  /// Removes and returns the oldest element, or returns `nil` if there is none.
  @inlinable @inline(__always) @discardableResult
  package mutating func popFirst() -> Element? {
    if count == 0 { return nil }
    let element = storage[head].take()
    head = (head &+ 1) & (storage.count &- 1)
    count &-= 1
    if count == 0, storage.count > 4096 { releaseMemory() }
    return element
  }

  /// Releases the memory of an empty buffer.
  ///
  /// The memory of a burst must not be kept forever.
  @inlinable @inline(never)
  mutating func releaseMemory() {
    storage = []
    head = 0
  }

  @inlinable @inline(never)
  mutating func grow() {
    let size = Swift.max(4, storage.count * 2)
    var larger: [Element?] = []
    larger.reserveCapacity(size)
    for index in 0..<count { larger.append(storage[(head + index) & (storage.count - 1)]) }
    larger.append(contentsOf: repeatElement(nil, count: size - count))
    storage = larger
    head = 0
  }
}

extension RingBuffer: Sendable where Element: Sendable {}

extension Array {
  /// Removes all elements and keeps the buffer for reuse, unless a burst has made it large.
  ///
  /// The memory of a burst must not be kept forever.
  @inlinable @inline(__always)
  mutating func removeAllAndReuse() {
    if capacity > 1024 { self = [] } else { removeAll(keepingCapacity: true) }
  }
}
