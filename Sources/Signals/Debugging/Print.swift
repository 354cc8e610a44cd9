extension Signal {
  /// Prints what happens, and changes nothing.
  ///
  /// The lines are those of Combine: `receive subscription: (…)` with the kind of signal, `receive value: (…)`,
  /// `receive finished`, `receive error: (…)` and `receive cancel`. A line is written before the event goes on, on the
  /// thread that it happens on; if several threads write at once, one of them writes for all. The stream is copied if
  /// it is a value, so pass a reference to read what was written.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = JustSignal(42).print("answer").sink { _ in }
  /// // Prints "answer: receive subscription: (JustSignal)"
  /// // Prints "answer: receive value: (42)"
  /// // Prints "answer: receive finished"
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: What each line begins with, followed by a colon unless it is empty.
  ///   - stream: Where to write; if `nil`, to the standard output.
  /// - Returns: A signal that sends the same values.
  public func print(
    _ prefix: String = "",
    to stream: (any TextOutputStream & Sendable)? = nil
  ) -> HandleEventsSignal<Self> {
    let printer = EventPrinter(prefix: prefix, stream: stream)
    let kind = "\(Self.self)".prefix { $0 != "<" }
    return handleEvents(
      receiveSubscription: { printer.write("receive subscription: (\(kind))") },
      receiveOutput: { printer.write("receive value: (\($0))") },
      receiveCompletion: { completion in
        switch completion {
        case .finished: printer.write("receive finished")
        case .failure(let error): printer.write("receive error: (\(error))")
        }
      },
      receiveCancel: { printer.write("receive cancel") }
    )
  }
}

/// Writes lines, one at a time, whichever threads they come from.
private final class EventPrinter: @unchecked Sendable {  // Sound: the stream belongs to the turn.
  private let prefix: String
  private var stream: (any TextOutputStream & Sendable)?

  /// Its turn makes one order of the lines without a lock, so that the stream may do as it likes.
  private let turn = EmitterCore<Never, Never>()

  init(prefix: String, stream: (any TextOutputStream & Sendable)?) {
    self.prefix = prefix.isEmpty ? "" : "\(prefix): "
    self.stream = stream
  }

  func write(_ line: String) {
    turn.withTurn { [self] in
      if stream == nil { Swift.print(prefix + line) } else { stream?.write("\(prefix)\(line)\n") }
    }
  }
}
