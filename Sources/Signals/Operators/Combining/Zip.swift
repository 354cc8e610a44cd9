extension Signal {
  /// Sends pairs of values: the first values of both signals, then the second values, and so on.
  ///
  /// A value waits until its partner arrives. The result finishes as soon as no further pair is possible, because one
  /// signal has finished and all its values have been paired. It fails as soon as one signal fails. The first signal
  /// may send all its values during the subscription, before the second is subscribed to. It must therefore not send an
  /// endless sequence at once.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let requests = Emitter<String, Never>()
  /// let answers = Emitter<Int, Never>()
  /// let subscription = requests.zip(answers).sink { print($0, $1) }
  /// requests.send("a")
  /// requests.send("b")
  /// answers.send(1)  // Prints "a 1"
  /// answers.send(2)  // Prints "b 2"
  /// ```
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func zip<Other: Signal>(_ other: Other) -> some Signal<(Element, Other.Element), Failure>
  where Other.Failure == Failure {
    combined(with: other, in: (ZipQueue<Element>.self, ZipQueue<Other.Element>.self))
  }
}

/// The values of one input of a zipped signal that wait for their partners.
@usableFromInline
final class ZipQueue<Value: Sendable>: CombinedSlot, @unchecked Sendable {
  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  var isMissing: Bool { values.isEmpty }

  @inlinable @inline(__always)
  func keep(_ value: Value) {
    values.append(value)
  }

  @inlinable @inline(__always)
  func take(for hub: CombinedHub<some Sendable, some Error>) -> Value {
    let value = values.popFirst().unsafelyUnwrapped  // Sound: the hub has checked that no value is missing.
    if isMissing {
      hub.missing += 1
      if hasEnded { hub.isExhausted = true }
    }
    return value
  }
}
