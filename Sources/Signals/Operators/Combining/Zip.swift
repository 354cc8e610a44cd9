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
    HubSignal {
      let (mine, others) = (ZipQueue<Element>(), ZipQueue<Other.Element>())
      let hub = ZipHub<(Element, Other.Element), Failure>(
        next: { mine.isEmpty || others.isEmpty ? nil : (mine.next(), others.next()) },
        isExhausted: { mine.isExhausted || others.isExhausted }
      )
      return (
        hub,
        {
          hub.attach(ZipInput(hub: hub, queue: mine), to: self)
          hub.attach(ZipInput(hub: hub, queue: others), to: other)
        }
      )
    }
  }
}
