extension Signal {
  /// Prints all events, without changing them.
  ///
  /// The lines have the format of Combine: `receive subscription: (…)` with the type of the signal,
  /// `receive value: (…)`, `receive finished`, `receive error: (…)` and `receive cancel`. Each line is written before
  /// the event is passed on, on the thread on which the event occurs. If several threads write at once, one of them
  /// writes for all. A stream that is a value type is copied, so pass a reference type to read the output.
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
  ///   - prefix: The beginning of each line, followed by a colon unless it is empty.
  ///   - stream: The stream to write to, or `nil` for the standard output.
  /// - Returns: A signal that sends the same values.
  public func print(
    _ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil
  ) -> some Signal<Element, Failure> {
    let printer = EventPrinter(prefix: prefix, stream: stream)
    let kind = "\(type(of: (self as? any OperatorStep)?.operation ?? self))".prefix { $0 != "<" }
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

/// A writer of lines, one at a time, from any thread.
private final class EventPrinter: @unchecked Sendable {  // Sound: the stream belongs to the turn.
  private let prefix: String
  private var stream: (any TextOutputStream & Sendable)?

  /// A core whose turn puts the lines into one order without a lock, so the stream may run any code.
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
