import Signals

/// The output of a signal as text: the values, then "|" for the end or "#" and the failure.
final class Watch: Sendable {
  let log = Log<String>()
  private let token = Box<SignalSubscription>()

  init<Element, Failure>(
    _ signal: some Signal<Element, Failure>,
    onValue: @escaping @Sendable (Element) -> Void = { _ in }
  ) {
    token.value = signal.sink(
      receiveCompletion: { [log] completion in
        switch completion {
        case .finished: log.add("|")
        case .failure(let error): log.add("#\(error)")
        }
      },
      receiveValue: { [log] value in
        log.add("\(value)")
        onValue(value)
      }
    )
  }

  var entries: [String] { log.entries }

  func cancel() {
    token.value?.cancel()
  }
}
