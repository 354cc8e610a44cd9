extension Array {
  /// Removes all elements and keeps the buffer for the next ones, unless a burst has made it large: that must not cost
  /// memory for ever.
  @inlinable @inline(__always)
  mutating func removeAllAndReuse() {
    if capacity > 1024 { self = [] } else { removeAll(keepingCapacity: true) }
  }
}
