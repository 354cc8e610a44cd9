/// A first-in, first-out queue in one array that is used over and over.
@usableFromInline
package struct RingBuffer<Element> {
  private var storage: [Element?] = []
  private var head = 0

  /// How many elements there are.
  @usableFromInline package private(set) var count = 0

  @usableFromInline
  package init() {}

  /// The element at a distance from the oldest.
  @usableFromInline
  package subscript(index: Int) -> Element {
    guard index < count, let element = storage[(head + index) & (storage.count - 1)] else {
      preconditionFailure("Index \(index) is beyond the \(count) elements of the buffer")
    }
    return element
  }

  /// Adds an element as the newest.
  @usableFromInline
  package mutating func append(_ element: Element) {
    if count == storage.count { grow() }
    storage[(head + count) & (storage.count - 1)] = element
    count += 1
  }

  /// Removes the oldest element and returns it, or `nil` if there is none.
  @usableFromInline @discardableResult
  package mutating func removeFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = storage[head]
    storage[head] = nil
    head = (head + 1) & (storage.count - 1)
    count -= 1
    return element
  }

  /// Doubles the array, whose size is always a power of two.
  private mutating func grow() {
    let size = max(4, storage.count * 2)
    var larger: [Element?] = []
    larger.reserveCapacity(size)
    for index in 0..<count { larger.append(self[index]) }
    larger.append(contentsOf: repeatElement(nil, count: size - count))
    storage = larger
    head = 0
  }
}

extension RingBuffer: Sendable where Element: Sendable {}
