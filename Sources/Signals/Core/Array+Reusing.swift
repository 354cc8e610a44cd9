extension Array {
  /// Removes all elements and keeps the buffer for reuse, unless a burst has made it large.
  ///
  /// The memory of a burst must not be kept forever.
  @inlinable @inline(__always)
  mutating func removeAllAndReuse() {
    if capacity > 1024 { self = [] } else { removeAll(keepingCapacity: true) }
  }
}
