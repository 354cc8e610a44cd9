extension Signal {
  /// Transforms each value into a signal, and sends the values of all these inner signals as they arrive.
  ///
  /// The result finishes when this signal and all inner signals have finished, and fails as soon as one of them fails.
  /// To run the inner signals one after another, in order, pass 1 for `maxConcurrent`.
  ///
  /// Inner signals are subscribed to one at a time. If a value arrives while another thread is subscribing to an inner
  /// signal, that thread subscribes to the new one as well. When an inner signal ends, its slot becomes free and
  /// the signal is released.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let pages = [1, 2].signal.flatMap(maxConcurrent: 1) { page in ["\(page)a", "\(page)b"].signal }
  /// let subscription = pages.sink { print($0) }
  /// // Prints "1a"
  /// // Prints "1b"
  /// // Prints "2a"
  /// // Prints "2b"
  /// ```
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of inner signals that are active at the same time. Further values wait, in
  ///     order, until one finishes. A number below 1 counts as 1.
  ///   - transform: A closure that is called with each value when its turn comes, and returns the inner signal.
  /// - Returns: A signal of the values of all inner signals.
  @inlinable @inline(__always)
  public func flatMap<Inner: Signal>(
    maxConcurrent: Int = .max, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Failure> where Inner.Failure == Failure {
    FlattenedSignal(self) { FlatMapHub(limit: Swift.max(1, maxConcurrent), transform: transform) }
  }
}

extension Signal where Failure == Never {
  /// Transforms each value of this signal, which cannot fail, into a signal that can.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `flatMap(maxConcurrent:_:)`.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of inner signals that are active at the same time.
  ///   - transform: A closure that is called with each value when its turn comes, and returns the inner signal.
  /// - Returns: A signal of the values of all inner signals.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func flatMap<Inner: Signal>(
    maxConcurrent: Int = .max, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMap(maxConcurrent: maxConcurrent, transform)
  }
}

extension Signal {
  /// Transforms a value into a signal, and drops further values until that signal has finished.
  ///
  /// Use this operator to ignore requests while one is running. The result finishes when this signal and the active
  /// inner signal have finished, and fails as soon as one of them fails. RxJS calls it `exhaustMap`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let taps = Emitter<Int, Never>()
  /// let upload = Emitter<String, Never>()
  /// let subscription = taps.flatMapFirst { tap in upload.map { "upload \(tap): \($0)" } }.sink { print($0) }
  /// taps.send(1)
  /// taps.send(2)
  /// upload.send("done")  // Prints "upload 1: done"
  /// ```
  ///
  /// Values are sent on the thread of the inner signal, one at a time and in one order, even if it sends from several
  /// threads. Cancelling the subscription also cancels the inner signal.
  ///
  /// - Parameter transform: A closure that is called with a value if no inner signal is active, and returns the inner
  ///   signal.
  /// - Returns: A signal of the values of the inner signals.
  /// - Complexity: O(1) for each value. No value is kept.
  @inlinable @inline(__always)
  public func flatMapFirst<Inner: Signal>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Failure> where Inner.Failure == Failure {
    FlattenedSignal(self) { FlatMapHub(limit: 1, keepsExcess: false, transform: transform) }
  }
}

extension Signal where Failure == Never {
  /// Transforms a value of this signal, which cannot fail, into a signal that can, and drops further values until that
  /// signal has finished.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `flatMapFirst(_:)`.
  ///
  /// - Parameter transform: A closure that is called with a value if no inner signal is active, and returns the inner
  ///   signal.
  /// - Returns: A signal of the values of the inner signals.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func flatMapFirst<Inner: Signal>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMapFirst(transform)
  }
}
